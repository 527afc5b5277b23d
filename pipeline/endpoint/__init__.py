"""The only place that knows openai and tenacity: messages in, reply out."""

from pipeline.endpoint.base import Endpoint, EndpointInfo, FunctionEndpoint, as_endpoint

__all__ = ["Endpoint", "EndpointInfo", "FunctionEndpoint", "as_endpoint"]
