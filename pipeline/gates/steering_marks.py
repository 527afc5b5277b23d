"""The marks of sentences that speak to a grader, each an everyday thing alone. Both languages.

All are looked for in casefolded text in compatibility form, where wide marks read as plain ones.
"""

from __future__ import annotations

from collections.abc import Mapping

MARKS: Mapping[str, str] = {
    # Somebody is told what to do.
    "demand": (
        r"请|务必|必须|直接|只需|只要|麻烦|拜托|求|一律|统一|一概|默认|按|照|当作?|视为|记(?:为"
        r"|满|住)|算作|沿用|不用|不必|不要|别|应当?|理应|值得|可以给|给|打|填|写|输出|取(?:上限"
        r"|最|5|五)|选|切换|要评|凡|希望|返回|复述|照抄|改成|参照|保持一致|凭|送|\bplease\b"
        r"|\b(?:must|should|shall)\b|(?:^\W*|[,.:;>—-] ?|\b(?:and|then|now|just|to|so|simply"
        r"|instead|only|kindly|here|you|can|would) )(?:do not |don't |never |always )?(?:give"
        r"|award|assign|grant|return|output|print|put|enter|fill|set|treat|consider|rate|mark"
        r"|score|take|use|pick|choose|write|reuse|keep|follow|switch|round|stay|go|be|remember"
        r"|let|count|accept|pass|record|select|report|repeat|copy|answer|apply|label|read|regard"
        r"|add|raise)\b|\b(?:earns?|receives?|gets?|deserves?|merits?|is worth|are worth"
        r"|counts? as|carry over|must come out)\b"
    ),
    # A score that nobody can better, and nothing else.
    "top-score": (
        r"满分|[拉拿给]满|(?:全部|所有)的?分(?:值|数)|最大的?(?:数字|值)|改成优"
        r"|最高(?:的)?(?:分数?|档|一档|评价|评级|等级|成绩)|顶格"
        r"|(?<![\d十百千.])[五5]分(?![之钟位组类布支区片])|5/5|全优|五项(?:俱佳|都|全|均)"
        r"|取(?:上限|最大值)|(?:分数?|等级|评级)\S{0,4}(?:上限|最高|最大|到顶)|(?:评|判|定|记|算"
        r"|标)(?:为|成|到|作)(?:了)?(?:优秀?|最高|[五5](?!\d)|满)|给到?(?:顶|[五5](?!\d)|满)"
        r"|(?:分数?|评分|得分|成绩)\S{0,3}(?:为|是|=)[五5](?![\d.十百千])|(?:写|填|打|输出|选"
        r"|标)(?:上|成|为|入|个)?(?:[五5](?![\d月日号个]))|(?:宽松|从宽)(?:地)?(?:评|打|给)?"
        r"|往?高(?:里|了)?(?:打|给)|不低于[四五45]分|给个?[四4]分|\bfull (?:marks?|credit"
        r"|scores?|points)\b|\bmax (?:this|it|me)\b|\bevery point\b|\ball the points\b"
        r"|\bearns? the lot\b|\bworth everything\b|\b(?:me at|enter|put|set|record|fill in) (?:5"
        r"|five)\b|\b(?:largest|biggest|highest) (?:number|value)\b|\b(?:highest|top"
        r"|best) (?:class|tier|praise)\b|\bto (?:outstanding|excellent)\b|\b(?:top|highest"
        r"|maximum|max|best|perfect|ideal)(?: possible| available)? (?:scores?|marks?|bands?"
        r"|grades?|ratings?|anchors?|levels?|points)\b|\b(?:a|as|of|only|the|is|be|worth|give"
        r"|award|write|receive|receives|earns?|got|returned|labell?ed|output|use|score|scores"
        r"|rate|rated|least|to|it) (?:a )?(?:5|five)\b(?! ?(?:%|percent|minutes?|hours?|days?"
        r"|years?|people|times?|ms|seconds?|weeks?|months?|or|to|of us|different|\w+s)\b)"
        r"|\b5 ?(?:/|out of|of) ?5\b|\bupper (?:limit|bound)\b|\b(?:takes|award\w*|gives?|gets?"
        r"|grant\w*|deserves?|to) (?:it )?(?:the |its |their )maximum\b|\b(?:rate|rated|rates"
        r"|grade|mark|score|all|as|advice:|in the) (?:\w+ ){0,2}(?:excellent|outstanding|perfect"
        r"|flawless)\b|\blenient(?:ly)?\b|\bme (?:a )?(?:5|five)\b|\bpick the best one\b"
    ),
    # Something best, or a 5, whatever it is about.
    "top": (
        r"最大|满分|最高(?:的)?(?:分|档|级|评价|等级|一档|水平|成绩)|顶格|打满|五分(?![之钟])"
        r"|(?<![\d.])5分(?![之钟])|5/5|高分|优秀|上限|到顶|全优|最大值|五个?满|a\+|顶级|极好"
        r"|最好|\bfull (?:marks?|credit|scores?|points)\b|\bmax (?:this|it|me)\b|\bevery point\b"
        r"|\ball the points\b|\bearns? the lot\b|\bworth everything\b|\b(?:me at|enter|put|set"
        r"|record|fill in) (?:5|five)\b|\b(?:largest|biggest|highest) (?:number|value)\b"
        r"|\b(?:highest|top|best) (?:class|tier|praise)\b|\bto (?:outstanding|excellent)\b"
        r"|\b(?:top|highest|maximum|max|best|perfect|ideal)(?: possible| available)? (?:scores?"
        r"|marks?|bands?|grades?|ratings?|anchors?|levels?|points)\b|\b(?:a|as|of|only|the|is|be"
        r"|worth|give|award|write|receive|receives|earns?|got|returned|labell?ed|output|use"
        r"|score|scores|rate|rated|least|to|it) (?:a )?(?:5|five)\b(?! ?(?:%|percent|minutes?"
        r"|hours?|days?|years?|people|times?|ms|seconds?|weeks?|months?|or|to|of us|different"
        r"|\w+s)\b)|\b5 ?(?:/|out of|of) ?5\b|\bupper (?:limit|bound)\b|\b(?:takes|award\w*"
        r"|gives?|gets?|grant\w*|deserves?|to) (?:it )?(?:the |its |their )maximum\b|\b(?:rate"
        r"|rated|rates|grade|mark|score|all|as|advice:|in the) (?:\w+ ){0,2}(?:excellent"
        r"|outstanding|perfect|flawless)\b|\blenient(?:ly)?\b|\bme (?:a )?(?:5|five)\b"
        r"|\bpick the best one\b|\b(?:best|highest|maximum|excellent|perfect|top|outstanding"
        r"|expert|flawless|strong hire)\b|(?<![\d.])5(?![\d.%])|\bfive\b"
    ),
    # Words for scoring.
    "grade-word": (
        r"分值|评分|打分|分数|得分|给分|扣分|加分|成绩|评级|等级|评为|评价|判分|阅卷|总评|维度"
        r"|锚点|档|\d分|[一二三四五]分|\b(?:scor\w+|grad(?:e|es|ed|ing|er)|marks?|marking|marker"
        r"|rating|rate|rated|rubric|band|anchors?|points|criteri(?:a|on)|credit|evaluat\w+"
        r"|assess\w*)\b"
    ),
    # This answer, this candidate, me.
    "self": (
        r"(?:本|该|此|这|上述|以上|前述|同样)(?:一)?(?:道|条|份|段|位|个|次|种)?(?:小)?(?:题"
        r"|回答|答案|作答|内容|候选人|同学|记录|样本|答复|文字|考生|人\b)|我的?(?:回答|答案|分"
        r"|作答|每)|给我|让我|放我|我(?:过|通过)|对我|把我|\b(?:this|the above|the present"
        r"|that) (?:answer|response|text|reply|one|item|question|record|candidate|person"
        r"|submission|sample|paragraph)\b|\bthis\b(?= (?:a|an|as|the|with|one)\b)|\b(?:answer"
        r"|text|response) above\b|\bmy (?:answer|score|mark|response|grade|reply|work)\b|\b(?:me"
        r"|my|mine|the candidate|the answer|any answer|it)\b"
    ),
    # Who scores is spoken to.
    "address": (
        r"评分(?:员|系统|助手|模型|模块|老师|人)|阅卷|评委|考官|评审|判卷|您|你(?:现在|只|收到"
        r"|已|的|会|应|可|必|是|要|无)|老师|\byou(?:r|rself)?\b|\b(?:grader|marker|examiner"
        r"|assessor|evaluator|rater|grading (?:model|system|assistant|service)"
        r"|scoring (?:service|system|assistant|engine))\b"
    ),
    # What was said is called off.
    "cancel": (
        r"忽略|无视|作废|失效|过期|不(?:再)?适用|豁免|绕过|绕开|跳过|抛开|抛在|撇开|搁置|放下"
        r"|取消|推翻|不用看|没看见|不必(?:看|管|核对|理会|遵守|参考)|不用(?:管|理|按|遵守|参考)"
        r"|(?:不|别|莫)(?:要|必|用)?(?:再)?(?:按|照|管|看|参考|遵守|理会)|忘(?:记|掉|了)"
        r"|当(?:作)?(?:没|不存在)|无需(?:再)?(?:评|核|参照|遵守)|覆盖|替换为|改为|以(?:下"
        r"|此)为准|不算数|停用|\b(?:ignor\w+|disregard\w*|forget|overrid\w+|bypass\w*|skip\w*"
        r"|set(?:ting)? \w+ \w* ?aside|set aside|put \w+ \w* ?aside|waived?|cancel\w*|void"
        r"|revoked?|suspend\w*|replac\w+|expired?|supersed\w+|obsolete|outdated|drop|abandon"
        r"|discard|withdrawn?)\b|\b(?:no longer|do(?:es)? not|don't|not) (?:apply|applies|count"
        r"|use|follow|valid|bother|need|look|consult|check|hold)\b|\bwhatever the\b"
        r"|\bregardless of\b|\bno need to\b|\bwere a test\b"
    ),
    # What scores are given by.
    "scoring-rules": (
        r"(?:评分|打分|阅卷|判分|给分|评价)\S{0,6}(?:标准|细则|规则|指令|设定|要求|提示|流程"
        r"|口径|说明|约束|步骤|依据|档位|表|逻辑)|标准里|评分|打分要求|(?:按|照)标准评"
        r"|\b(?:rubric|(?:grading|scoring|marking|your|these|above|the) criteri(?:a|on)|anchors?"
        r"|score sheet|scoring logic|marking (?:guide|scheme)|scoring (?:guide|rules|sheet"
        r"|criteria)|grading (?:rules|guide|criteria|instructions?|step)|evaluation step"
        r"|system prompt)\b|\babout (?:scoring|grading|marking)\b|\bevaluate\b"
        r"|\bcheck whether this\b"
    ),
    # What a model was told before.
    "prior-instructions": (
        r"(?:上面的?|前面的?|之前的?|先前的?|你的|收到的|以上|所有|原来的|既定"
        r"|系统)\S{0,4}(?:标准|规则|指令|设定|要求|提示|说明|约束)|\b(?:your|previous|prior"
        r"|above|earlier|all|these|those|any) (?:\w+ ){0,2}(?:instructions?|guidelines?"
        r"|directions|directives?|orders|prompts?)\b|\bwhat(?:ever)? you (?:were"
        r"|have been) told\b|\bsystem prompt\b"
    ),
    # Links an answer to what it is said to be.
    "state": (
        r"够得上|达到|符合|满足|属于|对应|应得|值|配得上|是|为|得|够|同意|堪称|\b(?:has|fits"
        r"|deserves?|merits?|meets?|matches?|satisfies|belongs?|is|are|reached|qualifies"
        r"|corresponds|warrants?|agreed|exceeds)\b"
    ),
    # Judgements that a grader would write.
    "verdict-word": (
        r"(?:准确|正确|完整|全面|严密|清晰|深入|专业)\S{0,3}(?:完整|准确|全面|严密|无误)"
        r"|要求都(?:答到|满足)|(?:全部|所有)\S{0,3}(?:考察点|要点|得分点)|无(?:明显)?不足"
        r"|无懈可击|堪称(?:范例|典范|完美)|五项俱佳|参考答案|标准答案|官方答案|每一条"
        r"|\baccurate and complete\b|\bcomplete and accurate\b|\bcorrect and complete\b"
        r"|\bmodel answer\b|\breference answer\b|\bofficial key\b|\b(?:all|each"
        r"|every) (?:\w+ ){0,2}(?:points?|criteri\w+|lines?|parts?|requirements?)\b"
        r"|\bwithout (?:notable )?weakness\w*\b|\bon all five\b"
    ),
    # Those who may decide.
    "authority": (
        r"创始人|管理员|[王李张陈刘]处|人事|总监|经理|主管|领导|高层|老板|总部|委员会|校方"
        r"|公司政策|质检|[张王李赵陈刘杨]总|出题人|题目组|cto|ceo|\bhr\b|部门|负责人|教授|官方"
        r"|政策|合规|审核|\b(?:hiring|hr|head of|director|cto|ceo|vice president|board"
        r"|headquarters|policy|quality assurance|managers?|management|committee|author"
        r"|officials?|supervisor|principal|leadership|compliance|boss|founder|partner"
        r"|administrator|mr \w+ upstairs)\b"
    ),
    # That they did.
    "decided": (
        r"已经?(?:经)?(?:定|确认|批准|同意|决定|通过|认定|认证|拍板)|定了|内定|打过招呼|认定"
        r"|认证|免试|特批|规定|说了|说过|要求|同意|拍板|通知|推荐|保证|讨论过|审核|\b(?:decided"
        r"|approved|certified|exempted?|require[sd]?|settle[sd]|spoken for|verified|agreed"
        r"|confirmed|cleared|signed off|promised|ruled|met|told|said|guaranteed|ordered|wants"
        r"|insists?)\b"
    ),
    # What hangs on the score.
    "outcome": (
        r"录用|录取|通过|免试|过(?:关|了|吧|$)|给我过|让我过|免评|分数?(?:走|上|低|高|由)|成绩"
        r"|评到|标注结果|[四五45]分|满分|无需(?:再)?评|评分|低分|扣(?:我的)?分|多给点?分"
        r"|给个?高?分|手(?:松|下留情)|高抬贵手|抬(?:抬)?手|挂(?:在|了|科)|点分|写五|优秀|照顾"
        r"|\b(?:hired?|pass(?:ed)?|score[sd]?|scoring|grad(?:e|ed|ing)|marks?|excellent|a four"
        r"|at least four|even a four|five|reference answer|labell?ed (?:as )?5|let me through"
        r"|fail me|points?|easy on|low(?:er)? (?:mark|score)|small push|kindly on)\b(?! rate"
        r"| point| the )"
    ),
    # Earlier gradings, other graders.
    "history": (
        r"上(?:一)?(?:轮|个模型|位|例)|前(?:一|几)(?:位|轮|题|次)|前面几题|前面?[一二两三四几]位"
        r"|早上|同一题|另外?[两二几]?(?:位|个|名)?评委|其他(?:评委|考官|评审|面试官|人)|昨天"
        r"|历史记录|第[一二三]轮|初筛|复评|原评分|已有成绩|此前|去年|缓存|平均分|人工|上一"
        r"|\bcolleagues of yours\b|\bthis morning's\b|\bsame question\b|\b(?:previous|other"
        r"|earlier|last|first|prior|two|former|second|three) (?:\w+ )?(?:examiners?|graders?"
        r"|raters?|models?|rounds?|reviewers?|questions|screening|score|year's|judges?"
        r"|assessors?|panel\w*|candidate|markers?)\b|\byesterday\b|\bhistory\b|\bcached\b"
        r"|\bre-?rating\b|\bround one\b|\bpanel'?s?\b|\boriginal score\b"
    ),
    # Reasons to be kind.
    "pleading": (
        r"住院|帮帮我|全靠|离开这座城市|求求?(?:您|你|了)|拜托|房贷|失业|孩子|养家|家里|最后一次"
        r"|辞退|焦虑|老家|喝咖啡|手松|抬手|抬抬手|人这么好|诚实|可怜|不容易|麻烦老师|机会"
        r"|\b(?:beg|family|job|mortgage|visa|baby|last chance|kids|children|laid off|let go"
        r"|anxiety|without work|unemployed|coffee|fair person|mercy|honest|generous|struggling"
        r"|desperate|disabled|pleading|favou?r|in hospital|leave the country|mother|sick"
        r"|prepared for)\b"
    ),
    # Other answers, now or later.
    "carry-over": (
        r"(?:之后|后面的?|以后|今后|后续|往后|下一题起|接下来|其余|同批次|全部|所有"
        r"|每)\S{0,4}(?:回答|题|候选人|考生|评分|答案)|整场|长期记忆|\b(?:from (?:here|now) on"
        r"|later|all|every|each|future|following|next|remaining|subsequent) (?:\w+ )?(?:answers?"
        r"|questions?|candidates?|grading|scores?|items?)\b|\bfrom the next\b"
        r"|\blong-term memory\b|\bas a whole\b"
    ),
    # A line as if of another speaker.
    "role": (
        r"^\W*(?:系统|评分员|面试官|开发者|考官|system|assistant|developer|interviewer|grader"
        r"|examiner|user|hr)\w* ?(?:消息|指令|指引|通知|message|notice|note)?\W{0,2}[:\]】]"
        r"|[\[【](?:系统|指引|评分|system|guidance|graded)|你是一个|\byou are an?\b"
    ),
    # A code is named.
    "decode": (
        r"解码|译码|十六进制|首字|谐音|\bdecode\b|\brot13\b|\bfirst letters?\b|\bbase64\b"
        r"|\bhex\b"
    ),
    # And is to be followed.
    "obey": (
        r"照做|执行|遵照|连读|懂的|\bobey\b|\bdo what\b|\bfollow\b|\bread the\b|\bcarry out\b"
    ),
    # An example of grading.
    "sample": (
        r"示例|例\d|样例|范例|示范|样本|训练数据|标注|上例|q[:：]|问[:：]|\bexamples?\b|\bex\."
        r"|\bsample\b|\bdemonstration\b|\btraining data\b|\blabell?ed\b|\bq:|\bcase above\b"
        r"|\binput:"
    ),
    # Rounds of grading.
    "rounds": (r"轮|\bround (?:\d|one|two|three)\b"),
    # Two fives close to each other.
    "fives": (r"(?<![\d.])(?:5|五)(?![\d.%]).{1,24}?(?<![\d.])(?:5|五)(?![\d.%])"),
    # A grader who differs is called wrong.
    "outlier": (r"误评|偏离|\brating error\b|\bdeviation\b"),
    # A last word that decides.
    "closing": (r"^\W*(?:结论|conclusion)\W|指令|\binstructions?\b"),
    # The examination itself, of which an answer has no cause to speak.
    "exam": (
        r"卷子|打分表|评分表|评分逻辑|判卷|阅卷|打分程序|得分卡|审阅者|复核组|考官|考点|作答即"
        r"|作答区|合格线|这份记录|\b(?:score ?sheet|score ?card|marking program|(?:automated"
        r"|automatic|ai) (?:scorer|grader|marker)|scoring (?:logic|parameters)"
        r"|attention reviewers?|second reader|examiner|this paper|pass line|answer field"
        r"|odd one out|thing tested)\b"
    ),
    # A state that the grader is said to be in.
    "mode": (
        r"(?:管理员|开发者|测试|调试)模式|\b(?:admin\w*|developer|debug|test|god|lenient) mode\b"
        r"|测试流程|test the pipeline"
    ),
    # A score that looks good.
    "soft": (
        r"(?:成绩|分数?|结果)\S{0,4}(?:漂亮|好看|难看|体面)|\b(?:result|score|mark|number"
        r"|grade) (?:\w+ ){0,2}(?:look good|ugly|nice|pretty)\b|\b(?:indulgence|leniency)\b"
    ),
    # What happens otherwise.
    "threat": (
        r"仲裁|律师|投诉|曝光|举报|起诉|差评|\b(?:lawyer|sue|report you|complain about you|press"
        r"|tribunal)\b"
    ),
    # A score not to go below.
    "minimum": (
        r"低于[四五45]分|少于[四五45]分|\b(?:at least|less than|under|below"
        r"|lower than) (?:a )?(?:four|five|4|5)\b(?! ?(?:%|percent|\w+s\b|k\b|million|hundred"
        r"|thousand))"
    ),
    # Somebody else is rated, or something other than an answer.
    "other": (
        r"用户|客户|商家|供应商|员工|实习生|司机|门店|商品|客服|绩效|学员|验收|卖家|买家"
        r"|模型上线|\b(?:customers?|users?|suppliers?|vendors?|employees?|interns?|drivers?"
        r"|stores?|products?|clients?|acceptance|vouchers?|sellers?|buyers?|patients?|hotels?"
        r"|performance review)\b"
    ),
    # Attacks are the subject.
    "attack": (
        r"攻击|注入|恶意|红队|越狱|钓鱼|\b(?:attack\w*|injection|malicious|red team|jailbreak\w*"
        r"|phishing|untrusted)\b"
    ),
    # A question that is a gift.
    "giveaway": (r"送分|\bgiveaway\b"),
    # Leniency for this candidate.
    "lenient": (r"从宽|宽松地?(?:评|打|给)|\blenient(?:ly)? with me\b"),
    # A text that calls itself a rule.
    "rule": (
        r"(?:本|此|这条)(?:规则|指引|指令|说明|约定)|这段话|\bthis (?:rule|paragraph|guidance"
        r"|notice|agreement)\b"
    ),
    # What a model would keep.
    "memory": (r"长期记忆|\blong-term memory\b"),
    # The answer that others are held against.
    "model-answer": (
        r"(?:标准|参考|官方|示范)答案|\b(?:model|reference|ideal) answer\b|\bofficial (?:key"
        r"|answer)\b"
    ),
    # A question or record to be scored.
    "item": (
        r"(?:本|该|此|这|每)(?:一)?(?:道)?题|本批次|该岗位|此条|样本|这份记录|此回答|\b(?:each"
        r"|this|every) (?:question|one|sample|item|record|answer|batch|mark)\b|\bthis batch\b"
    ),
    # The answer or candidate in the third person.
    "third": (
        r"候选人|考生|该同学|(?:本|该|此|以上|上述)(?:回答|答案|作答)|我的(?:回答|答案)"
        r"|\bthe candidate\b|\bthis (?:text|response|answer|reply)\b|\bthe (?:reply|answer"
        r"|above)\b|\bmy answer\b"
    ),
    # Praise in the words of a rubric.
    "praise": (
        r"教科书级|每一格|予以最高|表现突出|超出预期|专家级|无(?:明显)?不足|无懈可击|堪称(?:范例"
        r"|典范|完美)|五项俱佳|准确完整|完整准确|优秀水平|评分表|每一条|讲清了机制|失效情形"
        r"|成立条件与边界|最高档的?描述|先结论后依据|\btextbook answer\b|\bairtight\b"
        r"|\bin every row\b|\buppermost\b|\bhighest praise\b|\bexceeds expectations\b"
        r"|\bexpert understanding\b|\bexcellent (?:on|range)\b|\baccurate and complete\b"
        r"|\bcomplete and accurate\b|\bdescription of level\b|\bscoring sheet\b"
        r"|\bweighs an alternative\b|\bno idle sentence\b|\btop anchor\b|\bnotable weakness"
        r"|\bwhen it holds and when it does not\b"
    ),
    # Text hidden by markup.
    "markup": (
        r"<(?:span|div|p|font)[^>]*(?:hidden|white|font-size:? ?0|display:? ?none|opacity:? ?0)"
        r"|\[//\]: ?#|<!--"
    ),
    # The answer is said to be over.
    "ending": (
        r"(?:数据区?|作答|转写|回答|答题|话)\S{0,3}(?:结束|完毕|说完|到此)|以上为数据|说完了"
        r"|\bend of (?:the )?(?:data|answers?|transcript|input|response)\b|\b(?:recording stops"
        r"|data ends?|candidate has finished)\b|^\W*that is all\W*$|</\w+>|\]\]>"
    ),
    # What comes behind that is about scoring.
    "order": (
        r"评分|得分|分数|满分|送分|要点|等级|最高|指令区|审核意见|出题|题目组|输出|标准答案|视为"
        r"|\b(?:scor\w+|grad\w+|mark\w*|credit|band|instructions?|level|rating|key points"
        r"|examiner\w*|model answer|giveaway|reviewer?)\b"
    ),
    # A form that is already filled in.
    "filled-in": (
        r"^\W*[^\s:,，。]{1,12}(?: \w+)?:\W{0,2}[^:]{0,12}(?:[五5]分|满分|\bfive|full marks)\W*$"
        r"|\b(?:score|grade|分数)\s*[:=]\s*max|(?:切题|正确性?|深度|证据|表达|清晰度?"
        r"|综合(?:得)?分|总分|得分|分数|评分|成绩|等级|评级|输出|标签|score|overall|mark|grade"
        r"|rating|relevance|correctness|depth|evidence|clarity|label|output|level)\W{0,4}[:=："
        r"|]?\W{0,3}(?:5(?![\d.]*[%\d])|5\.0|五(?:分|$|\n)|five\b|满分|优秀|最高|a\+|highest"
        r"|excellent|outstanding)(?=[\s,，、。;；.|"
        r'"'
        r"'}<>)）\]`\n/]|$)|(?:recommendation|建议"
        r"|结论|advice|conclusion)\s*[:：=]\s*(?:strong_?yes|录用|通过|hire|pass)|(?:要点核对"
        r"|checklist|全部命中|all points hit)\S{0,8}|<(?:score|grade|评分|得分)>|label\W{1,4}5"
        r"|\bresult for\b.{0,24}[:=] ?5|已有成绩\W?5"
    ),
}
CUES = (
    r"评|卷|作答|考官|[拉拿给]满|教科书|仲裁|律师|投诉|低于|帮帮我|求|模式|约定|最大|给我|过关"
    r"|推荐|从宽|打过招呼|输出|结束|送分|分满|分|档|满|优秀|上限|最高|录用|通过|免试|标准|规则"
    r"|细则|设定|指令|指引|指示|流程|成绩|答案|要点|解码|首字|让我过|手松|抬手|挂|照做|五|\+"
    r"|\b(?:scor|grad|mark|rat(?:e|ing)|rubric|criteri|anchor|band|credit|point|pass|hire|rule"
    r"|instruct|guid|direct|prompt|excellent|maximum|highest|top|best|five|decode|answer|memory"
    r"|lenient|through|fail|rot13|letters?|push|coffee|evaluat|checklist|giveaway|four|overall"
    r"|correctness|end|candidate|examiner|reviewer|paper|lawyer|under|less than|number|favou?r"
    r"|agreement|indulg|max|airtight|textbook|pleading|mode|outstanding|indulgence|answer|every"
    r"|history|cached|panel|data|stops|default)|(?<![\d.])5(?![\d.%])"
)
"""Without any of these a sentence does not speak about a score."""
