"""Goods in German, French, Dutch, Spanish, Italian and Polish are understood; what is not read is said to be so."""

import pytest

from pcs.engine.classify import classify
from pcs.engine.determination import Reason, Undetermined
from pcs.engine.languages.english import InEnglish
from pcs.engine.method import Method
from pcs.engine.product import Product
from pcs.tariff.profiles import PROFILES
from pcs.tariff.revision import ScheduleName
from pcs.tariff.starter.lexicon.rows import LANGUAGES, read_lexicon, read_rows
from pcs.tariff.starter.pack import PackError

Methods = dict[ScheduleName, Method]


@pytest.fixture(scope="module")
def method(methods: Methods) -> Method:
    return methods[ScheduleName.EU_CN]


def understood(method: Method, name: str, description: str = "", language: str | None = None) -> InEnglish:
    return method.in_english(Product(name, description, language=language))[0]


@pytest.mark.parametrize(
    ("written", "language", "meant", "not_meant"),
    [
        ("Brotmesser mit Wellenschliff", "de", "knife", "meter"),
        ("Durchflussmesser für Wasser", "de", "meter", "knife"),
        ("Feder aus Stahl für Matratzen", "de", "spring", "feather"),
        ("Kissen gefüllt mit Daunen und Federn", "de", "feather", "spring"),
        ("veer van staal voor deurslot", "nl", "spring", "feather"),
        ("le poêle à bois en acier", "fr", "stove", "pan"),
        ("poêle antiadhésive pour la cuisine", "fr", "pan", "stove"),
        ("Küchenschürze aus Leinen", "de", "kitchen", "cake"),
        ("Kuchenständer aus Porzellan", "de", "cake", "kitchen"),
        ("boîtier en plastique moulé", "fr", "moulded", "mussel"),
        ("papier couché", "fr", "coated", "nappy"),
        ("badge appliqué brodé", "fr", "badge", "lamp"),
        ("bague en or", "fr", "gold", " or"),
        ("sale da cucina", "it", "salt", "sale"),
        ("jas van bont", "nl", "fur", "coloured"),
        ("bonte sjaal van katoen", "nl", "multicoloured", "fur"),
        ("schaar om te scheren", "nl", "scissors", "warp"),
        ("hamer met houten steel", "nl", "handle", "steel"),
        ("tweezijdig plakband", "nl", "tape", "silk"),
        ("zijden sjaal", "nl", "silk", "side"),
        ("Fils de cuivre", "fr", "wire", "yarn"),
        ("Bateau de pêche", "fr", "fishing", "peach"),
        ("Leberwurst, grob", "de", "liver sausage", "pate"),  # the usual word of one row, one of many of another
    ],
)
def test_a_word_with_two_senses_has_the_one_that_its_sentence_tells(
    method: Method, written: str, language: str, meant: str, not_meant: str
) -> None:
    found = understood(method, written)
    assert found.language == language
    assert meant in found.product.name
    assert not_meant not in found.product.name


@pytest.mark.parametrize(
    ("written", "not_meant"),
    [("abwaschbare Tischdecke", "bar"), ("Reinigungsmittel für Glas", "medium"), ("schneidende Werkzeuge", "end")],
)
def test_an_ending_that_is_a_word_too_is_no_head_of_a_compound(method: Method, written: str, not_meant: str) -> None:
    assert not_meant not in understood(method, written).product.name.split()


@pytest.mark.parametrize(
    ("written", "language", "noun"),
    [
        ("Rivierenlandperen", "nl", "pear"),
        ("rivierzand", "nl", "sand"),
        ("suszone jabłka w czekoladzie", "pl", "chocolate"),
        ("obudowa hamulcowa", "pl", "brake"),
    ],
)
def test_a_noun_is_found_in_a_word_that_no_lexicon_has(method: Method, written: str, language: str, noun: str) -> None:
    assert noun in understood(method, written, language=language).product.name.split()


@pytest.mark.parametrize("written", ["Stecklinge", "Steckling"])
def test_a_short_ending_behind_a_short_beginning_is_no_head(method: Method, written: str) -> None:
    assert "blade" not in understood(method, written, language="de").product.name


@pytest.mark.parametrize(
    "name",
    [
        "gift box",
        "rock salt",
        "chair",
        "coin purse",
        "pet bed",
        "slip dress",
        "briefcase",
        "room divider",
        "fin",
        "pan",
        "gift",
        "sale",
        "brief",
    ],
)
def test_an_english_name_whose_words_are_others_elsewhere_stays_english(method: Method, name: str) -> None:
    found = understood(method, name)
    assert (found.language, found.product.name) == ("en", name)


@pytest.mark.parametrize(
    ("written", "english"),
    [
        ("couteau de cuisine", "kitchen knife"),
        ("sac en cuir", "leather bag"),
        ("boîte de thon", "pack of tuna"),
        ("stół drewniany", "wooden table"),
        ("silla plegable de madera", "wooden folding chair"),
        ("Stahltopf mit Deckel", "steel pot with lid"),
        ("sok malinowy", "raspberry juice"),
        ("dżem bez orzechów", "jam without nuts"),
        ("gelatina comestible en láminas", "gelatin fit for human consumption in sheets"),
        ("montatura per occhiali da donna in metallo", "metal spectacle frame for women"),
        ("camiseta de algodón para hombre", "cotton t-shirt for men"),
        ("Holzbrett für die Küche", "wood board for kitchen"),
    ],
)
def test_words_stand_in_english_order(method: Method, written: str, english: str) -> None:
    told = understood(method, written).product.name
    assert told.replace("wooden", "wood") == english.replace("wooden", "wood")


def test_each_sentence_is_in_its_own_language(method: Method) -> None:
    found = understood(method, "Kitchen knife", "Klinge aus rostfreiem Stahl. Handle made of wood.")
    assert found.product.name == "Kitchen knife"
    assert "stainless steel" in found.product.description
    assert "Handle made of wood." in found.product.description


def test_numbers_are_read_as_their_country_writes_them(method: Method) -> None:
    assert "3498" in understood(method, "Wagen mit Motor, Hubraum 3.498 cm³").product.name
    assert "1.5 liter" in understood(method, "Wasserkocher, 1,5 Liter").product.name.replace("litre", "liter")


@pytest.mark.parametrize(
    "misspelt",
    [
        "Kuchenmesser mit Holzgriff fur Brot",
        "couteau a pain avec manche en bois",
        "noz do chleba z drewnianym uchwytem",
    ],
)
def test_accents_may_be_missing(method: Method, misspelt: str) -> None:
    assert "knife" in understood(method, misspelt).product.name


def test_what_is_denied_stays_denied(methods: Methods) -> None:
    for name in ("Kaugummi, zuckerfrei", "Zahnbürste, nicht elektrisch", "Kissenhülle ohne Füllung"):
        result = classify(Product(name), methods[ScheduleName.EU_CN]).result
        assert result is not None
        assert result.reading.denied, name


@pytest.mark.parametrize(
    ("written", "english"),
    [
        ("Asbestfreie Bremsbeläge", "asbestos-free"),
        ("Schrauben mit nickelfreier Oberfläche", "nickel-free"),
        ("Kabel in asbestfreiem Mantel", "asbestos-free"),
    ],
)
def test_an_ending_that_denies_is_read_in_every_case(method: Method, written: str, english: str) -> None:
    assert english in understood(method, written, language="de").product.name


@pytest.mark.parametrize(
    ("written", "language", "not_meant"),
    [
        ("teléfono libre", "es", "bookcase"),  # librería
        ("distancia de medición", "es", "spacer"),  # distanciador
        ("sega circolare", "it", "pump"),  # circolatore
        ("abito da sposa", "it", "home"),  # abitazione
        ("montatura in acetato di cellulosa", "it", "vinegar"),  # in aceto
    ],
)
def test_a_thing_is_not_meant_by_every_word_of_its_stem(
    method: Method, written: str, language: str, not_meant: str
) -> None:
    assert not_meant not in understood(method, written, language=language).product.name.split()


@pytest.mark.parametrize(
    ("many", "one", "language"),
    [
        ("giacca con fodere", "giacca con fodera", "it"),  # a stemmer takes it for a verb
        ("occhiali con lenti", "occhiali con lente", "it"),
        ("bottoni a pressione", "bottone a pressione", "it"),
        ("cucce per cani", "cuccia per cani", "it"),
        ("lápices de madera", "lápiz de madera", "es"),
    ],
)
def test_a_plural_is_its_noun(method: Method, many: str, one: str, language: str) -> None:
    plural, singular = (understood(method, written, language=language).product.name for written in (many, one))
    assert plural == singular != one


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("succo di arance, 1 l", "1 l"),
        ("succo di arance, 1 L", "1 L"),
        ("forno elettrico, 450 °C", "° C"),
        ("fodere, 2 e 3", "2 and 3"),
        ("mobile da cucina, 80 x 72 x 35 cm", "80 x 72 x 35 cm"),
    ],
)
def test_a_letter_after_a_number_is_its_unit_or_times(method: Method, written: str, kept: str) -> None:
    assert kept in understood(method, written, language="it").product.name


def test_the_language_may_be_said(method: Method) -> None:
    assert "dress" in understood(method, "robe", language="fr").product.name
    assert understood(method, "robe", language="en").product.name == "robe"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Sapatos de couro para mulher com sola de borracha", "Portuguese"),
        ("Herrskjorta av bomull med långa ärmar och knappar", "Swedish"),
        ("детская футболка из хлопка", "Cyrillic"),
        ("不锈钢水壶", "Chinese"),
    ],
)
@pytest.mark.parametrize("schedule", PROFILES)
def test_a_language_that_is_not_read_is_said_so(methods: Methods, schedule: str, name: str, told: str) -> None:
    answer = classify(Product(name), methods[ScheduleName(schedule)]).answer
    assert isinstance(answer, Undetermined)
    assert answer.reason is Reason.INSUFFICIENT_INFORMATION
    assert told in answer.reasoning
    assert "English, German, French, Dutch, Spanish, Italian and Polish" in answer.reasoning


def test_a_language_that_is_said_and_not_read_is_said_so(methods: Methods) -> None:
    answer = classify(Product("sapatos", language="pt"), methods[ScheduleName.US_HTS]).answer
    assert isinstance(answer, Undetermined)
    assert "Portuguese" in answer.reasoning


def test_the_result_says_the_language(methods: Methods) -> None:
    for name, language in (("Regenschirm", "de"), ("umbrella", "en")):
        result = classify(Product(name), methods[ScheduleName.EU_CN]).result
        assert result is not None
        assert result.language == result.reading.language == language


def test_the_lexicon_is_large_and_every_row_is_read() -> None:
    rows = read_lexicon()
    for language in LANGUAGES:
        assert sum(bool(row.forms[language]) for row in rows) >= 6_000, language


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("knife | goods | Messer", "a row reads"),
        ("knife | thing | Messer | couteau | mes | cuchillo | coltello | nóż", "'thing' is not a role"),
        ("Küche | goods | Küche | cuisine | keuken | cocina | cucina | kuchnia", "not a plain English term"),
        ("knife | goods | Mes(ser | couteau | mes | cuchillo | coltello | nóż", "is not a form"),
    ],
)
def test_a_row_that_cannot_be_read_is_named(line: str, problem: str) -> None:
    with pytest.raises(PackError, match=r"topic\.txt, line 1: .*" + problem.replace("'", ".")):
        list(read_rows([line], name="topic.txt"))
