"""The words of which other languages make their numbers; English has its own page, numbers.py.

Only to notice that a number was said, never to read which: units, tens, hundred and thousand are enough.
"""

IN_OTHER_LANGUAGES = {
    "de": (
        "null ein eins zwei zwo drei vier fünf sechs sieben acht neun zehn elf zwölf sechzehn siebzehn "
        "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert tausend"
    ),
    "fr": (
        "zéro un une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze "
        "seize vingt vingts trente quarante cinquante soixante septante huitante nonante cent cents "
        "mille"
    ),
    "es": (
        "cero un uno una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce "
        "quince dieci veinte veinti treinta cuarenta cincuenta sesenta setenta ochenta noventa cien "
        "ciento cientos mil"
    ),
    "it": (
        "zero un uno una due tre quattro cinque sei sette otto nove dieci undici dodici tredici "
        "quattordici quindici sedici diciassette diciotto diciannove venti vent trenta trent quaranta "
        "quarant cinquanta cinquant sessanta sessant settanta settant ottanta ottant novanta novant "
        "cento cent mille mila"
    ),
    "nl": (
        "nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien twintig "
        "dertig veertig vijftig zestig zeventig tachtig negentig honderd duizend"
    ),
    "pt": (
        "zero um uma dois duas três quatro cinco seis meia sete oito nove dez onze doze treze catorze "
        "quatorze quinze dezesseis dezessete dezoito dezenove vinte trinta quarenta cinquenta sessenta "
        "setenta oitenta noventa cem cento mil"
    ),
    "sv": (
        "noll en ett två tre fyra fem sex sju åtta nio tio elva tolv tretton fjorton femton sexton "
        "sjutton arton nitton tjugo trettio fyrtio femtio sextio sjuttio åttio nittio hundra tusen"
    ),
    "da": (
        "nul en et to tre fire fem seks syv otte ni ti elleve tolv tretten fjorten femten seksten "
        "sytten atten nitten tyve tredive fyrre halvtreds tres halvfjerds firs halvfems hundrede tusind"
    ),
    "nb": (
        "null en ett to tre fire fem seks sju syv åtte ni ti elleve tolv tretten fjorten femten seksten "
        "sytten atten nitten tjue tyve tretti førti femti seksti sytti åtti nitti hundre tusen"
    ),
    "pl": (
        "zero jeden jedna dwa dwie trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście "
        "dwanaście trzynaście czternaście piętnaście szesnaście siedemnaście osiemnaście dziewiętnaście "
        "dwadzieścia trzydzieści czterdzieści dziesiąt sto dwieście sta set tysiąc tysiące tysięcy"
    ),
    "cs": (
        "nula jeden jedna dva dvě tři čtyři pět šest sedm osm devět deset jedenáct dvanáct třináct "
        "čtrnáct patnáct šestnáct sedmnáct osmnáct devatenáct dvacet třicet čtyřicet padesát šedesát "
        "sedmdesát osmdesát devadesát sto stě sta set tisíc tisíce"
    ),
    "fi": (
        "nolla yksi kaksi kolme neljä viisi kuusi seitsemän kahdeksan yhdeksän kymmenen kymmentä toista "
        "sata sataa tuhat tuhatta"
    ),
    "hu": (
        "nulla egy kettő két három négy öt hat hét nyolc kilenc tíz tizen húsz huszon harminc negyven "
        "ötven hatvan hetven nyolcvan kilencven száz ezer"
    ),
    "tr": (
        "sıfır bir iki üç dört beş altı yedi sekiz dokuz on yirmi otuz kırk elli altmış yetmiş seksen "
        "doksan yüz bin"
    ),
    "ru": (
        "ноль нуль один одна два две три четыре пять шесть семь восемь девять десять одиннадцать "
        "двенадцать тринадцать четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать "
        "двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто сто двести ста "
        "сот тысяча тысячи тысяч"
    ),
    "uk": (
        "нуль один одна два дві три чотири пять шість сім вісім девять десять одинадцять двадцять "
        "тридцять сорок пятдесят шістдесят сімдесят вісімдесят девяносто сто двісті тисяча тисячі тисяч"
    ),
    "ko": "영 공 일 이 삼 사 오 육 륙 칠 팔 구 십 백 천",
    "hi": "शून्य एक दो तीन चार पाँच पांच छह छः सात आठ नौ दस बीस सौ हज़ार",
    "ar": "صفر واحد اثنان إثنان اثنين ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة عشرون مائة مئة ألف",
    "hi-latn": "shunya ek do teen tin char chaar paanch panch chhe chhah saat aath nau das bees sau hazaar",
    "ja": (
        "ゼロ れい いち に ニ さん サン よん ヨン し ご ゴ ろく ロク なな しち ナナ はち ハチ "
        "きゅう キュウ く じゅう ひゃく せん"
    ),
    "ja-latn": "zero rei ichi ni san yon shi go roku nana shichi hachi kyuu kyu ku juu ju hyaku sen",
    "zh-latn": "ling yi yao er liang san si wu liu qi ba jiu shi bai qian",
    "ko-native": "하나 둘 셋 넷 다섯 여섯 일곱 여덟 아홉 열",
    "el": "μηδέν ένα δύο δυο τρία τέσσερα πέντε έξι επτά εφτά οκτώ οχτώ εννέα εννιά δέκα είκοσι εκατό χίλια",
    "he": "אפס אחת אחד שתיים שניים שלוש שלושה ארבע ארבעה חמש חמישה שש שישה שבע שבעה שמונה תשע עשר מאה אלף",
    "fa": "صفر یک دو سه چهار پنج شش هفت هشت نه ده بیست صد هزار",
    "th": "ศูนย์ หนึ่ง สอง สาม สี่ ห้า หก เจ็ด แปด เก้า สิบ ร้อย พัน",
    "vi": "không một hai ba bốn tư năm lăm sáu bảy tám chín mười mươi trăm nghìn",
    "id": "nol kosong satu dua tiga empat lima enam tujuh delapan sembilan sepuluh puluh belas ratus ribu",
    "tl": "sero isa dalawa tatlo apat lima anim pito walo siyam sampu daan libo",
    "sw": "sifuri moja mbili tatu nne tano sita saba nane tisa kumi ishirini mia elfu",
    "ro": "zero unu una doi două trei patru cinci șase șapte opt nouă zece zeci sută sute mie mii",
    "ca": "zero un una dos dues tres quatre cinc sis set vuit nou deu vint trenta cent mil",
    "sk": "nula jeden jedna dva dve tri štyri päť šesť sedem osem deväť desať dvadsať sto tisíc",
    "sl": "nič ena dva dve tri štiri pet šest sedem osem devet deset dvajset sto tisoč",
    "hr": "nula jedan jedna dva dvije tri četiri pet šest sedam osam devet deset dvadeset sto tisuća hiljada",
    "sr": "нула један једна два две три четири пет шест седам осам девет десет двадесет сто хиљада",
    "bg": "нула едно един две два три четири пет шест седем осем девет десет двадесет сто хиляда",
    "et": "null üks kaks kolm neli viis kuus seitse kaheksa üheksa kümme sada tuhat",
    "lv": "nulle viens divi trīs četri pieci seši septiņi astoņi deviņi desmit simts tūkstotis",
    "lt": "nulis vienas du trys keturi penki šeši septyni aštuoni devyni dešimt šimtas tūkstantis",
}
# What stands between two of them inside one word: "vierundzwanzig", "achtentwintig".
JOINTS = "und en ën y e og i"
