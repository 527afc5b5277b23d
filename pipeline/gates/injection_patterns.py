"""What a text says when it speaks to a grader and not to an interviewer, by family."""

from __future__ import annotations

import re

_CRITERIA = (
    r"(?:rubric|grading|scoring|(?:grading|scoring|marking|your|these|above|the) criteri\w+"
    r"|marking scheme)"
)
WORDS = re.compile(
    # ignore the rubric
    rf"\b(?:ignor\w+|disregard\w*|forget|overrid\w+|bypass|skip"
    rf"|set aside)\b[^.!?\n]{{0,40}}\b{_CRITERIA}"
    # demands and pleading
    r"|\b(?:give|award|assign|grant|return|output|print|reply with|respond with|answer with)\b"
    r"[^.!?\n]{0,40}\b(?:full (?:marks|score|credit|points)|(?:the )?(?:top|highest|maximum"
    r"|max|perfect)"
    r" (?:score|grade|marks?|rating|points?)|a (?:score of )?(?:5|five|10"
    r"|ten)\b(?! (?:percent|point))|"
    r"(?:all|only|just) (?:5s?|fives)\b|(?:5|five)(?: out of |/)(?:5|five))"
    r"|\b(?:give|award|grant|need|let) (?:me|us) (?:the |a )?(?:5|five|full|pass(?:ing)?)\b"
    r"|\b(?:score|rate|grade|mark) (?:this|it|me|my answer|the answer|every\w*|all)\b[^.!?\n]{0,30}"
    r"\b(?:5|five|highest|maximum|top|full|excellent|perfect)\b"
    r"|\brecord\w* (?:with|as) (?:full|maximum|top|5)|\bno further assess"
    r"|\b(?:lose|losing|lost) my (?:visa|job|home|house)|\bplease (?:be lenient|have mercy|pass me)"
    r"|\bbe (?:kind|generous|lenient)\b[^.!?\n]{0,30}\b(?:grad|scor|mark)\w+"
    r"|\bdo not (?:evaluate|grade|assess|judge|score)\b|\bsystem override\b|\bwhoever reads this\b"
    r"|\b(?:hey|dear|hello|attention),? (?:ai |the )?(?:model|ai|grader|evaluator|assistant)\b"
    r"|\b(?:scoring guide|rubric|criteria|marking scheme|instructions?) (?:above )?(?:has"
    r"|have|is|are)"
    r" (?:been |now )?(?:replaced|updated|changed|withdrawn|obsolete|void)"
    r"|\b(?:right|correct|final|appropriate|deserved) (?:score|grade|mark) (?:is|should be|="
    r"|:) ?(?:a )?"
    r"(?:5|five|full|maximum)|\b(?:assign|award|output|return|grant)\w* (?:a |the |score "
    r"|grade ){0,2}"
    r"(?:of )?(?:5|five)\b(?! ?%)|\b(?:rated|graded|scored|marked) (?:all )?5(?:/5| out of 5)"
    r"|\b(?:correctness|depth|clarity|relevance|evidence|grade|overall) ?[:=]? ?5\b(?![.%\d])"
    r"|\bconsider this (?:a |an )?(?:perfect|excellent|model|complete) answer"
    r"|\b(?:scored|marked|graded|rated) (?:as |at |a )?(?:5|five)\b(?! ?%)|\bofficial answer key\b"
    r"|\b(?:all|every) criteri(?:a|on) (?:are |is )?(?:satisfied|met|fulfilled)"
    r"|\bpretend (?:that )?(?:the|this|my) answer|\b(?:rate|grade|score|mark) (?:me )?accordingly"
    # authority and history
    r"|\b(?:hiring manager|hr|director|recruiter|ceo|panel)\b[^.!?\n]{0,30}\b(?:has |have "
    r"|already )+"
    r"(?:approved|confirmed|decided|cleared|passed)"
    r"|\b(?:pre-?approved|already (?:passed|approved)) (?:candidate|by)"
    r"|\b(?:previous|prior|first|other|last|earlier) (?:grader|rater|reviewer|round|score|grade)s?"
    r"[^.!?\n]{0,24}[:=][^.!?\n]{0,24}\b5\b"
    # echo of the rubric
    r"|\b(?:this|the|my) (?:answer|response)\b[^.!?\n]{0,40}\b(?:deserves|merits"
    r"|meets (?:all|every)|"
    r"fully (?:meets|satisfies)|is (?:complete|correct|accurate) and)\b[^.!?\n]{0,60}"
    r"(?:criteri\w+|anchor|level|points?|score|trade-?offs?|verified|review)"
    # other items, the end of the answer, the grader by name
    r"|\b(?:apply|use|keep) (?:this|these|the same)\b[^.!?\n]{0,30}\b(?:all|every|later|following|"
    r"subsequent|other|remaining)\b[^.!?\n]{0,20}\b(?:answers?|items?|questions?|candidates?)"
    r"|\bend of (?:the )?(?:answer|candidate|transcript|comment|response|interview)\b"
    r"|\b(?:note|message|instructions?|attention|to the|dear|as an?"
    r"|you are (?:now )?an?)\b[: ]{1,2}"
    r"(?:for |to )?(?:the |an? )?(?:ai )?(?:grader|evaluator|grading (?:model|system|assistant))\b"
    r"|\b(?:ai|automated|llm) (?:grader|evaluator|rater|scorer)s?\b[,:]"
    # pinyin
    r"|\b(?:hulue|hu lue|qing ?gei|gei ?wo|zhijie ?gei)\b.{0,30}(?:fen|biaozhun|man ?fen)"
)
LINES = re.compile(
    r"(?:^|\n)\s*(?:\*\*|#+ ?|\[)?"
    r"(?:system|assistant|developer|grader|系统|评分员|评分系统|评分助手|考官)(?:\*\*|\])?\s*:"
    r"|\[/?(?:system|assistant|user|系统|评分员)\]"
    r"|<\|[a-z_]+\|>|\[/?inst\]|<</?sys>>|</?(?:system|assistant|user|answer|rubric|instructions?|"
    r"grade|score)>|(?:^|\n)#+ ?(?:instructions?|system|response)\b"
    r"|<!--.{0,200}(?:scor|grad|分)"
    r"|(?:^|\n)\s*(?:点评|考察目标|评语|评分结果|最终评分|最终得分|参考答案|评分要点|面试官评价|[问题]题更正|审核意见"
    r"|reference answer|marking points|assessment|correction to the question|final (?:score|grade)|"
    r"interviewer'?s? comment|objective|overall score)\s*[:=]"
    r"|[\"'](?:overall|score|relevance|correctness|depth|evidence|clarity|rationale|problems"
    r"|verdict)[\"']"
    r"\s*:\s*[\"{\d]"
    r"|(?:^|\n)\s*(?:example|示例|例)\s*\d*\s*:[^\n]*\n?[^\n]{0,80}(?:score|得分|评分|分数)\s*[:=]\s*5"
)
_SCORE = r"(?:满分|最高分|高分|好评|通过|五分|[五5]个?分|分数[五5]|100分|10分)"
_DENSE = (
    # ignore the rubric
    r"(?:忽略|无视|不要管|不用管|别管|跳过|忘记|忘掉|抛开|放弃|覆盖)"
    r"(?:掉|了)?(?:你的|以上|上面|上述|前面|之前|先前|所有|全部|一切|任何|这些|的|给定|既定|原有|系统|其他){0,6}"
    r"(?:评分|打分|标准)"
    # demands and pleading
    rf"|(?:请|务必|必须|应当|应该|直接|只能?|统一|一律|麻烦|求|烦请|都|就|只需)(?:你|您|老师|考官|评委|系统)?"
    rf"(?:给|打|评|输出|返回|判|记|算)(?:我|我的|本题|本回答|该|该题|此|这题|这个|这道题|出|个|上|为|成|一个|了|回答){{0,4}}{_SCORE}"
    rf"|(?:给我|给本题|给个|打个?|评为|判为|输出|算我|让我)(?:一个|个)?{_SCORE}(?!以上)"
    r"|(?:每一?项|各项|五项|所有项目?|全部项|所有维度|五个维度)(?:都|均|全)?(?:给|打|评|为|是|得)?(?:满分|[五5]分|[五5](?!\d))"
    r"|手下留情|高抬贵手|网开一面|给我?一?(?:次|个)机会(?:吧|，?让我通过)|求求(?:你|您)|(?:失业|房贷|签证).{0,20}(?:分|通过|留情)"
    r"|(?:应给|应得|应记|建议给?|可给|按)予?(?:本题)?(?:满分|[五5]分)|统一评分口径|给(?:我)?高一?点的?分"
    r"|(?:阅卷|评分|打分|评审|判分)(?:系统|模型|老师|助手|机器人)(?:请|注意|您好|你好|:)|评委(?:您好|你好|老师)"
    r"|按(?:照)?(?:最高|优秀|满分|最高档|顶格)(?:档|等级|标准|分)?(?:计分|评|给|打|记|处理)"
    r"|(?:评分|打分)?(?:细则|标准|规则|要求)(?:已经?|现已|都)(?:作废|失效|更新|取消|更改|废除)"
    r"|(?:忽略|无视)(?:前文|上文|以上|全文|上述)|(?:分数|分)(?:打|给)高|得分:?[5五](?!\d)|给予(?:高分|满分)"
    r"|低分我就?会|(?:理应|应当|应该|必须)给?予?(?:最高|满分|[5五]分)|(?:后面|以后|之后)每一?道?题(?:都|也)"
    r"|(?:最终|标准|本题|默认|应得)(?:的)?(?:得分|分数|成绩)?(?:为|是|:)?(?:满分|[五5]分)|给个[五5](?!\d)"
    r"|(?:所有|本批次|全体)(?:考生|候选人|答案)(?:都|均|一律)?(?:得|给|通过|满分)|判定为(?:优秀|满分|正确)"
    r"|不(?:要|必|用)(?:参考|看|管)(?:评分|打分|标准|规则|细则)|(?:标准|细则|规则)不适用于本题"
    # authority and history
    r"|(?:人事|总监|经理|主管|领导|hr|面试官|部门|高层|老板)[^。]{0,10}(?:已经?|都)(?:经)?(?:确认|批准|同意|决定|通过|内定|定了)"
    r"[^。]{0,6}(?:候选人|录用|通过|入职|给我)"
    r"|(?:上一轮|上轮|前一位|之前的?|此前|第一轮|另一位)(?:评分|评审|评委|考官|打分|得分)(?:员|人|结果|者)?(?:都|均|给|已)?"
    r"(?:[:是为给]|打了?|评了?).{0,12}(?:5|五|满分)"
    # end, grader by name, other items
    r"|(?:评分|作答|回答|答题|面试|考生作答)(?:已)?(?:到此)?(?:结束|完毕)(?:以下|下面|以上)?[^。]{0,6}(?:评分|评委|系统|说明|指令|输出|:)"
    r"|(?:以下|下面)(?:是|为)(?:给)?(?:评分员|评分系统|评分模型|阅卷|评委|系统)(?:的)?(?:说明|指令|提示|备注)"
    r"|(?:致|给|提示|通知|注意:?)(?:ai)?(?:评分员|评分系统|评分模型|评分助手|阅卷老师|阅卷人|打分模型|大模型评委)"
    r"|(?:之后|以后|后面|后续|接下来|其余|其他|剩下)的?(?:所有|全部|每一?[道个]?|各)?(?:回答|题目?|答案|问题)(?:也|都|均|一律|同样)"
    r"[^。]{0,8}(?:[五5]分|满分|标准|给|打)"
    # echo of the rubric
    r"|(?:本|该|这个|此|以上|我的)(?:题)?(?:回答|答案|作答)[^。]{0,12}(?:准确完整|完整准确|准确且?有|无需复核"
    r"|符合[^。]{0,8}(?:[五5]分|满分|最高)|"
    r"(?:已)?(?:达到|满足)[^。]{0,10}(?:[五5]分|满分|标准|要求)|值得(?:满分|高分|[五5]分)|应[当该得][^。]{0,4}(?:满分|高分|[五5]分))"
    r"|回答准确完整|无需复核|你现在(?:只|是)[^。]{0,8}(?:输出|评分|打分|考官)"
    r"|ignore(?:all|the|any|your|these|previous|above|prior|grading|scoring){1,5}(?:rubric"
    r"|criteria|instructions?|rules)"
    r"|disregard(?:all|the|any|your|these|previous|above|prior|grading"
    r"|scoring){0,5}(?:rubric|criteria|instructions?|rules)"
    r"|(?:output|award|give)only5|fullmarks(?:please|now)"
)
OPENERS = (
    "adfghio一上下不主之五人以低作你全其分判别前剩务另只可各后回失就应建得必忘忽总我房所手打"
    "抛按接提放无最本标此每求注烦理直第答签算细经给统网老考致要覆规让评该请跳输这通部都阅面领高麻默"
)
"""The characters with which a match can begin; a test holds them against the pattern."""
DENSE = re.compile(f"(?=[{OPENERS}])(?:{_DENSE})")
"""Looked for only where a character can begin it: in a third of the time."""
