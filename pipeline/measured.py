"""What is known about the agreement of a run's scores with people, in one statement."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.records import Language

Both = tuple[str, str]
_ADVISORY: Both = (
    "Every figure and recommendation is advisory: a person decides.",
    "所有分数和建议仅供参考，由人决定。",
)
_UNKNOWN: Both = (
    "How far they agree with people has not been measured.",
    "与人的一致程度没有测量过。",
)
_NONE: Both = (
    "No agreement with people has been measured for these scores.",
    "这些分数与人的一致程度没有测量过。",
)
_MEASURED: Mapping[str, Both] = {
    "human": ("Scores measured against labels by people", "分数与人的标注比较过"),
    "mixed": (
        "Scores measured against labels partly by people, partly by models",
        "分数与标注比较过，标注一部分出自人，一部分出自模型",
    ),
    "model": ("Scores measured against labels by models", "分数只与模型的标注比较过"),
    "unknown": (
        "Scores measured against labels of unknown origin",
        "分数与来源不明的标注比较过",
    ),
}


def statement(manifest: Mapping[str, object], language: Language = "en") -> str:
    """How far the scores were measured, against whose labels, and that they are advisory."""
    zh = language == "zh"
    said = []
    if measured := manifest.get("measured"):
        kind = str(manifest.get("measured_kind"))
        words = _MEASURED.get(kind, _MEASURED["unknown"])[zh]
        said.append(f"{words}：{measured}。" if zh else f"{words}: {measured}.")
        if not against_people(manifest):
            said.append(_UNKNOWN[zh])
    elif not against_people(manifest):
        said.append(_NONE[zh])
    return ("" if zh else " ").join([*said, _ADVISORY[zh]])


def against_people(manifest: Mapping[str, object]) -> bool:
    """Whether scores of this run, raw or calibrated, were held against labels by people alone."""
    calibration = manifest.get("calibration")
    bent = calibration.get("rater_kind") if isinstance(calibration, Mapping) else None
    return "human" in (bent, manifest.get("measured_kind"))
