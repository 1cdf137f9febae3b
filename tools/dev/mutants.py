# SPDX-License-Identifier: Apache-2.0
"""Finds the checks of a C source, and writes a source in which each check can be disabled at run time.

A check is a condition whose failure is an error: the first argument of SPMM_REQUIRE and similar macros, the condition
of an `if` whose body fails, and the return value of a predicate. A mutant makes one part of a check always pass, or
moves one bound by one (< to <=, <= to <). Parts are the operands of && if all must hold, and of || if one suffices to
fail, also inside parentheses and after `!`.

The source is read as tokens, without a grammar. This suffices for the style of this tree, and the result must compile.
"""
import re
from collections import namedtuple

TOKEN = re.compile(r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:\\\n|[^\n])*)
    |(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    |(?P<word>\w+)
    |(?P<sign><<=|>>=|->|<<|>>|<=|>=|==|!=|&&|\|\||.)""", re.X | re.S | re.M)
CLOSING = {"(": ")", "[": "]", "{": "}"}
FLIPPED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
HOOKS = re.compile(r"^#ifdef SPMM_TEST_HOOKS.*?^#(?:else|endif)", re.M | re.S)
REQUIRING = {"SPMM_REQUIRE", "SPMM_REQUIRE_AT", "SPMM_RULE", "SPMM_REQUIRE_IO"}
FAILING = re.compile(r"SPMM_ERR_\w+|SPMM_FAIL\w*|\w*_fail\w*|unexpected|\w*explain\w*|\w*refuse\w*")
NOTHING = {"NULL", "false", "0"}
PREDICATE = re.compile(r"^(?:static |inline )*(?:int|bool) \*?(\w+)\(", re.M)
FUNCTION = re.compile(r"^[A-Za-z][\w \t*()]*?\b(\w+)\([^;{}]*?\)\s*\{", re.M)

Token = namedtuple("Token", "kind text begin end")
# what: "passes" or "bound"; text: the condition, which identifies the mutant when line numbers change
Mutant = namedtuple("Mutant", "number path line function what text")


def tokens_of(source):
    """Returns the tokens of a source without comments, preprocessor lines and test hooks."""
    source = HOOKS.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), source)
    found = (Token(match.lastgroup, match.group(), match.start(), match.end()) for match in TOKEN.finditer(source))
    return [token for token in found if token.kind != "skip"]


class Source:
    """Holds one file, its mutants and the edits that put each mutant behind a switch."""

    def __init__(self, path, text, first_number):
        self.path, self.text, self.number = path, text, first_number
        self.tokens = tokens_of(text)
        self.match = self.matching()
        self.mutants, self.opens, self.closes, self.swaps = [], {}, {}, {}
        self.functions = [(match.start(), match.group(1)) for match in FUNCTION.finditer(text)]
        self.predicates = {match.group(1) for match in PREDICATE.finditer(text)}
        self.find()

    def matching(self):
        """Returns {index of the token of an opening bracket: index of the token of its closing bracket}."""
        closes, open_at = {}, []
        for at, token in enumerate(self.tokens):
            if token.text in CLOSING:
                open_at.append(at)
            elif token.text in CLOSING.values() and open_at:
                closes[open_at.pop()] = at
        return closes

    def top(self, begin, end, *signs):
        """Yields the indices in [begin, end) of tokens that are one of these signs and not inside brackets."""
        at = begin
        while at < end:
            if self.tokens[at].text in signs and self.tokens[at].kind == "sign":
                yield at
            at = self.match.get(at, at) + 1

    def slices(self, begin, end, sign):
        """Yields the ranges into which these signs split [begin, end)."""
        starts = [begin]
        for at in self.top(begin, end, sign):
            yield starts[-1], at
            starts.append(at + 1)
        yield starts[-1], end

    def words(self, begin, end):
        return self.text[self.tokens[begin].begin:self.tokens[end - 1].end]

    def add(self, begin, end, what, opening):
        """Adds a mutant of the tokens [begin, end), which are wrapped in `opening(NUMBER, ...)`."""
        start, stop = self.tokens[begin].begin, self.tokens[end - 1].end
        function = next((name for at, name in reversed(self.functions) if at <= start), "")
        line = self.text.count("\n", 0, start) + 1
        text = " ".join(self.words(begin, end).split())
        self.mutants.append(Mutant(self.number, self.path, line, function, what, text))
        self.opens.setdefault(start, []).append(f"{opening}({self.number}, ")
        self.closes.setdefault(stop, []).append(")")
        self.number += 1

    def bound(self, begin, end):
        """Adds a mutant of the bound if [begin, end) is a single comparison with <, <=, > or >=."""
        found = list(self.top(begin, end, *FLIPPED))
        if len(found) == 1 and begin < found[0] < end - 1:
            sign = self.tokens[found[0]]
            self.add(begin, end, "bound", "SPMM_MUTANT_BOUND")
            self.swaps[sign.begin] = (sign.end, f", {sign.text}, {FLIPPED[sign.text]}, ")

    def part(self, begin, end, passes, is_whole):
        """Adds the mutants of the expression [begin, end), which passes if its value is `passes`. If is_whole is false,
        the expression is one of several alternatives: only parts of it are disabled."""
        every, one = ("&&", "||") if passes else ("||", "&&")
        choices = list(self.slices(begin, end, "||" if any(True for _ in self.top(begin, end, "||")) else "&&"))
        sign = self.tokens[choices[0][1]].text if len(choices) > 1 else ""
        if any(True for _ in self.top(begin, end, "?")):
            self.choice(begin, end, passes, is_whole)
        elif sign == every:
            for first, last in choices:
                self.part(first, last, passes, True)
        elif sign == one:
            self.atom(begin, end, passes, is_whole)
            for first, last in choices:
                self.part(first, last, passes, False)
        elif self.tokens[begin].text == "!" and begin + 2 < end and self.match.get(begin + 1) == end - 1:
            self.part(begin + 2, end - 1, not passes, is_whole)
        elif self.match.get(begin) == end - 1 and self.tokens[begin].text == "(":
            self.part(begin + 1, end - 1, passes, is_whole)
        else:
            self.atom(begin, end, passes, is_whole)
            self.bound(begin, end)

    def atom(self, begin, end, passes, is_whole):
        if is_whole:
            self.add(begin, end, "passes", "SPMM_MUTANT_TRUE" if passes else "SPMM_MUTANT_FALSE")

    def choice(self, begin, end, passes, is_whole):
        """Adds the mutants of A ? B : C. If B or C is in NOTHING, A is the check; otherwise B and C are, if Boolean."""
        asks = next(self.top(begin, end, "?"))
        colon = next(self.top(asks, end, ":"))
        yes, no = self.words(asks + 1, colon), self.words(colon + 1, end)
        if passes and (yes in NOTHING) != (no in NOTHING):
            self.part(begin, asks, no in NOTHING, is_whole)
        elif not any(True for _ in self.top(colon, end, "?")):
            for first, last in ((asks + 1, colon), (colon + 1, end)):
                if any(True for _ in self.top(first, last, "&&", "||", "==", "!=", *FLIPPED)):
                    self.part(first, last, passes, is_whole)

    def fails(self, at):
        """Returns whether the statement or block that begins with token `at` reports or returns a failure."""
        end = self.match[at] if self.tokens[at].text == "{" else next(self.top(at, len(self.tokens), ";"))
        body = self.tokens[at:end]
        if any(token.kind == "word" and FAILING.fullmatch(token.text) for token in body):
            return True
        last = [token.text for token in body if token.text not in "{};"]
        return last[-2:-1] == ["return"] and last[-1] in NOTHING or last[-3:] == ["return", "-", "1"]

    def is_predicate(self, at):
        """Returns whether the token is in a function that returns int or bool."""
        begin = self.tokens[at].begin
        name = next((name for start, name in reversed(self.functions) if start <= begin), "")
        return name in self.predicates

    def returned(self, at):
        """Adds the mutants of `return EXPRESSION;` in a predicate, or of `return A ? 0 : x;` in any function."""
        end = next(self.top(at, len(self.tokens), ";"), at + 1)
        signs = ("&&", "||", "==", "!=", "!", *FLIPPED)
        has_choice = any(True for _ in self.top(at + 1, end, "?"))
        if end > at + 1 and (has_choice or self.is_predicate(at)) and any(True for _ in self.top(at + 1, end, *signs)):
            self.part(at + 1, end, True, True)

    def remembered(self, at):
        """Adds the mutants of `bool name = A && B;`, which passes if true, or if false when `!name` occurs later."""
        name, end = self.tokens[at - 1].text, next(self.top(at, len(self.tokens), ";"), at + 1)
        before = {token.text for token in self.tokens[max(0, at - 3):at]}
        signs = list(self.top(at + 1, end, "&&", "||"))
        if signs and (before & {"int", "bool"} or self.tokens[at + 1].text == name):
            first = at + 3 if self.tokens[at + 1].text == name else at + 1
            self.part(first, end, not re.search(rf"!{name}\b", self.text[self.tokens[at].end:]), True)

    def find(self):
        for at, token in enumerate(self.tokens[:-2]):
            follows = self.tokens[at + 1].text
            if token.text in REQUIRING and follows == "(":
                self.part(at + 2, next(self.top(at + 2, self.match[at + 1], ",")), True, True)
            elif token.text == "if" and follows == "(" and self.fails(self.match[at + 1] + 1):
                self.part(at + 2, self.match[at + 1], False, True)
            elif token.text == "return":
                self.returned(at)
            elif token.text == "=" and self.tokens[at - 1].kind == "word":
                self.remembered(at)

    def switched(self):
        """Returns the source with every mutant behind its switch."""
        edits = {start: (start, "".join(opens)) for start, opens in self.opens.items()}
        out, at = [], 0
        for place in sorted(set(self.opens) | set(self.closes) | set(self.swaps)):
            out.append(self.text[at:place])
            at = place
            out.extend(self.closes.get(place, ()))
            out.append(edits.get(place, (place, ""))[1])
            if place in self.swaps:
                at, swapped = self.swaps[place]
                out.append(swapped)
        return "".join(out) + self.text[at:]
