-- spelling: macros that compare texts more loosely than by their values. What is no letter and no digit of any script is
-- named by ranges: DuckDB compiles \p{L}, which has hundreds of them, for a millisecond at each place where a statement
-- compares two names.

-- letters: the letters and digits of a text, in upper case and without accents.
CREATE OR REPLACE MACRO internal.letters(text) AS
    regexp_replace(strip_accents(upper(text)), '[^0-9A-Z\x{C0}-\x{1FFF}\x{2C00}-\x{2DFF}\x{3040}-\x{FDFF}\x{FE70}-\x{FEFF}\x{FF10}-\x{FFDC}\x{10000}-\x{1EFFF}\x{20000}-\x{3FFFF}]', '', 'g');
COMMENT ON MACRO internal.letters IS 'internal.letters(text): the letters and digits of a text, in upper case and without accents.';

-- same_letters: whether two texts have the same letters and digits, whatever their case, accents and punctuation.
CREATE OR REPLACE MACRO internal.same_letters(a, b) AS internal.letters(a) = internal.letters(b);
COMMENT ON MACRO internal.same_letters IS 'internal.same_letters(a, b): whether two texts have the same letters and digits, whatever their case, accents and punctuation.';

-- company_words: the words of a company's name, each behind a blank. AND and & are none.
CREATE OR REPLACE MACRO internal.company_words(name) AS
    regexp_replace(regexp_replace(strip_accents(upper(' ' || name)), '[^0-9A-Z\x{C0}-\x{1FFF}\x{2C00}-\x{2DFF}\x{3040}-\x{FDFF}\x{FE70}-\x{FEFF}\x{FF10}-\x{FFDC}\x{10000}-\x{1EFFF}\x{20000}-\x{3FFFF}]+', ' ', 'g') || ' ', '( AND)+ ', ' ', 'g');
COMMENT ON MACRO internal.company_words IS 'internal.company_words(name): the words of the name of a company in upper case, without accents, punctuation and AND.';

-- company_key: the name of a company without its legal form, in which the dots of S.A. and L.T.D. may be blanks.
-- A name that is nothing but a legal form stays.
CREATE OR REPLACE MACRO internal.company_key(name) AS
    replace(coalesce(nullif(regexp_replace(regexp_replace(rtrim(internal.company_words(name)),
        '( (CO|COY|COMPANY|CORP|CORPORATION|INC|INCORPORATED|L ?T ?D|LIMITED|L ?L ?C|L ?L ?P|P ?L ?C|P ?T ?E|P ?V ?T|PRIVATE|P ?T ?Y|S ?A|S ?A ?S|S ?A ?R ?L|S ?P ?A|S ?R ?L|S ?L|LDA|LTDA|G ?M ?B ?H|M ?B ?H|K ?G|O ?H ?G|A ?G|A ?S|A ?S ?A|A ?B|O ?Y|OYJ|APS|I ?V ?S|N ?V|B ?V|C ?V|V ?O ?F|D ?O ?O|D ?D|A ?D|E ?O ?O ?D|O ?O ?D|SP Z O O|K ?K|BHD|SDN|TBK|P ?T|PERSERO|LIMITADA|ANONYMI|J ?S ?C|P ?J ?S ?C))+$', ''),
        '^( (THE|P ?T|O ?O ?O|Z ?A ?O|O ?A ?O|P ?A ?O|J ?S ?C|P ?J ?S ?C|A S))+ ', ' '), ''), internal.company_words(name)), ' ', '');
COMMENT ON MACRO internal.company_key IS 'internal.company_key(name): the name of a company without its legal form, punctuation, blanks, accents and case. Two names with one key are spellings of one company.';

-- respelled: whether two values of a field are spellings of one. Numbers are not.
CREATE OR REPLACE MACRO internal.respelled(field, old_value, new_value) AS
    coalesce(TRY_CAST(new_value AS DOUBLE) IS NULL
             AND CASE WHEN field IN ('registered_owner', 'manager', 'ism', 'builder', 'engine_builder', 'class_society', 'p_and_i')
                      THEN internal.company_key(old_value) = internal.company_key(new_value)
                      ELSE internal.same_letters(old_value, new_value) END, false);
COMMENT ON MACRO internal.respelled IS 'internal.respelled(field, old_value, new_value): whether two values of a field differ only in case, accents, blanks and punctuation, and those of a company also in its legal form.';

-- one_name: whether two names can be one ship's. AIS cuts a name after twenty characters.
CREATE OR REPLACE MACRO internal.one_name(a, b) AS
    a = b OR internal.same_letters(a, b) OR least(length(a), length(b)) >= 10 AND (starts_with(a, b) OR starts_with(b, a));
COMMENT ON MACRO internal.one_name IS 'internal.one_name(a, b): whether two names of ships have the same letters and digits, or one of them is the beginning of the other, and at least ten characters long.';
