"""A second checker, written from the text of SPEC 1 to 4 alone: slow, naive, and sharing nothing with the package.

It reads a line sign by sign and keeps the board in a dictionary. `judge` gives the same facts as the checker.
"""

from __future__ import annotations

from dataclasses import dataclass, field

SIDES = {"A": 4, "B": 6, "C": 8, "D": 10, "E": 12, "F": 20}
ALL_DICE = ["A", "B", "C", "D", "E", "F", "A'", "B'", "C'", "D'", "E'", "F'"]
SAME = {"×": "x", "X": "x", "∼": "~", "−": "-", "–": "-", "—": "-"}
SAME |= dict.fromkeys("’‘′ʹ`´", "'") | {c: c.upper() for c in "abcdef"}


@dataclass
class Sign:
    """One sign of a line that is no white space: a whole run of digits, or one other character."""

    text: str
    start: int
    end: int
    spaced: bool  # white space before it


@dataclass
class Placed:
    action: str
    dice: list[str]
    value: int | None
    start: int
    end: int


@dataclass
class Group:
    moves: list[Placed]
    reaction: bool


@dataclass
class Row:
    number: int | None = None
    number_span: tuple[int, int] | None = None
    groups: list[Group] = field(default_factory=list)
    passed: bool = False
    syntax_at: int | None = None
    content_at: int = 0


def signs_of(line: str) -> list[Sign]:
    line = line.split(";")[0]
    signs: list[Sign] = []
    i, spaced = 0, False
    while i < len(line):
        c = line[i]
        if c.isspace():
            spaced = True
            i += 1
            continue
        j = i + 1
        if c in "0123456789":
            while j < len(line) and line[j] in "0123456789":
                j += 1
            signs.append(Sign(line[i:j], i, j, spaced))
        elif c == "…":
            signs += [Sign(".", i, j, spaced), Sign(".", i, j, False)]
        else:
            signs.append(Sign(SAME.get(c, c), i, j, spaced))
        spaced = False
        i = j
    return signs


def is_number(sign: Sign) -> bool:
    return sign.text[0] in "0123456789" and (sign.text == "0" or sign.text[0] != "0")


def is_digits(sign: Sign) -> bool:
    return sign.text[0] in "0123456789"


class Reader:
    def __init__(self, signs: list[Sign], swaps: bool) -> None:
        self.signs, self.swaps = signs, swaps

    def at(self, i: int) -> str:
        return self.signs[i].text if i < len(self.signs) else ""

    def die(self, i: int) -> tuple[str, int] | None:
        if self.at(i) and self.at(i) in "ABCDEF":
            return (self.at(i) + "'", i + 2) if self.at(i + 1) == "'" else (self.at(i), i + 1)
        return None

    def move(self, i: int) -> tuple[Placed, int] | None:
        begin = i
        action = ""
        if self.at(i) and self.at(i) in "x+-=~":
            action = self.at(i)
            i += 1
        die = self.die(i)
        if die is None:
            return None
        name, i = die
        if self.swaps and not action and self.at(i) == "<" and self.at(i + 1) == ">":
            second = self.die(i + 2)
            if second:
                name2, i = second
                return Placed("<>", [name, name2], None, self.signs[begin].start, self.signs[i - 1].end), i
        value = None
        if i < len(self.signs) and is_digits(self.signs[i]):
            if not is_number(self.signs[i]):
                return None
            value = int(self.signs[i].text)
            i += 1
        elif action != "x":
            return None
        return Placed(action, [name], value, self.signs[begin].start, self.signs[i - 1].end), i

    def group(self, i: int) -> tuple[Group, int] | None:
        if self.at(i) != "(":
            found = self.move(i)
            return (Group([found[0]], False), found[1]) if found else None
        moves, i = [], i + 1
        while found := self.move(i):
            moves.append(found[0])
            i = found[1]
        if moves and self.at(i) == ")":
            return Group(moves, True), i + 1
        return None


def read_row(line: str, swaps: bool) -> Row:
    signs = signs_of(line)
    row = Row()
    i = 0
    if is_number(signs[0]):
        row.number = int(signs[0].text)
        i = 1
        dots = 0
        while i + dots < len(signs) and signs[i + dots].text == ".":
            dots += 1
        # 3.. is a pass; one dot, or three and more, begin with the prefix's own; an ellipsis is never cut in two.
        ellipsis = dots and signs[i].start == (signs[i + 1].start if i + 1 < len(signs) else -1)
        if (i < len(signs) and signs[i].text == "|") or (dots and dots != 2 and not ellipsis):
            i += 1
        row.number_span = (signs[0].start, signs[i - 1].end)
    rest = signs[i:]
    row.content_at = (rest or signs)[0].start
    if not rest:
        row.syntax_at = row.number_span[0]
        return row
    if [s.text for s in rest] == [".", "."]:
        row.passed = True
        return row
    reader = Reader(signs, swaps)
    while i < len(signs):
        found = reader.group(i)
        if found:
            row.groups.append(found[0])
            i = found[1]
            continue
        if row.syntax_at is None:
            row.syntax_at = signs[i].start
        i += 1
        while i < len(signs) and not (signs[i].spaced and reader.group(i)):
            i += 1
    return row


class Game:
    def __init__(self, ruleset: str) -> None:
        self.alpha, self.quickref = ruleset == "alpha", ruleset == "quickref"
        self.first = "WE"
        self.board: dict[str, list | None] = dict.fromkeys(ALL_DICE)
        self.winner: str | None = None
        self.won_in: int | None = None
        self.errors: list[tuple] = []  # (line, column, order, code, turn, entry)
        self.boards: list[dict] = []
        self.number = 0

    def player(self, turn: int) -> str:
        return self.first if turn % 2 == 1 else self.rival(self.first)

    @staticmethod
    def rival(player: str) -> str:
        return "THEY" if player == "WE" else "WE"

    @staticmethod
    def owner(die: str) -> str:
        return "THEY" if die.endswith("'") else "WE"

    def count(self, player: str) -> int:
        return sum(1 for d in self.board.values() if d and d[0] == player)

    def fixer(self, player: str) -> list[str]:
        return [d for d in ALL_DICE if self.owner(d) == player and self.board[d] is None]

    def win(self, player: str, turn: int) -> None:
        if self.winner is None:
            self.winner, self.won_in = player, turn

    def start_of(self, turn: int) -> None:
        if self.count(self.player(turn)) >= (6 if self.alpha else 7):
            self.win(self.player(turn), turn)

    def end_of(self, turn: int) -> None:
        if turn == 14:
            for player in ("WE", "THEY"):
                if self.count(player) >= 7:
                    self.win(player, 15)

    def error(self, line: int, column: int, code: str, turn: int | None = None, entry: int | None = None) -> None:
        self.errors.append((line, column, len(self.errors), code, turn, entry))

    def refuse(self, m: Placed, actor: str, reaction: bool, faulty: bool, rolls: int, moves: int) -> str | None:
        """The first code that holds, in the order of SPEC 3's table."""
        die = m.dice[0]
        held = self.board[die]
        roll, steal, swap = m.action == "", m.action == "x", m.action == "<>"
        if reaction and (roll or steal or swap):
            return "reaction-kind"
        if m.value is not None and not 1 <= m.value <= SIDES[die[0]]:
            return "value-range"
        if roll and self.owner(die) != actor:
            return "roll-not-yours"
        if roll and held:
            return "not-in-fixer"
        if roll and rolls:
            return "second-roll"
        if roll and moves and not faulty and not self.quickref:
            return "late-roll"
        if roll and die[0] == "F" and len(self.fixer(actor)) > 1:
            return "d20-early"
        if not roll and any(self.board[d] is None for d in m.dice):
            return "not-in-gigs"
        if steal and held[0] == actor:
            return "steal-own"
        if steal and m.value is not None and m.value != held[1]:
            return "steal-value"
        if m.action == "+" and m.value <= held[1]:
            return "not-raised"
        if m.action == "-" and m.value >= held[1]:
            return "not-lowered"
        if swap and self.board[m.dice[0]][0] == self.board[m.dice[1]][0]:
            return "swap-same-side"
        return None

    def effect(self, m: Placed, actor: str, code: str | None, turn: int) -> None:
        die = m.dice[0]
        held = self.board[die]
        if code in ("reaction-kind", "not-in-gigs", "swap-same-side"):
            return
        if code == "value-range" and not (m.action == "x" and held):
            return
        if code == "roll-not-yours" and not held:
            return
        if m.action == "":
            if held:
                held[1] = m.value
            else:
                self.board[die] = [actor, m.value]
        elif m.action == "x":
            changes = held[0] != actor
            held[0] = actor
            if m.value is not None and code != "value-range":
                held[1] = m.value
            if changes and turn >= 15 and self.count(actor) >= 7:
                self.win(actor, turn)
        elif m.action == "<>":
            one, two = self.board[m.dice[0]], self.board[m.dice[1]]
            one[0], two[0] = two[0], one[0]
        else:
            held[1] = m.value

    def play(self, row: Row, line: int) -> None:
        turn = self.number
        actor = self.player(turn)
        faulty = row.syntax_at is not None
        if self.winner:
            self.error(line, 9999, "after-end", turn)
            return
        if faulty:
            self.error(line, row.syntax_at, "syntax", turn)
        must = bool(self.fixer(actor)) and not self.quickref and not faulty
        start = row.content_at
        rolls_written = [m for g in row.groups if not g.reaction for m in g.moves if m.action == ""]
        if row.passed and must:
            self.error(line, start, "pass-early", turn)
        if row.groups and not rolls_written and must:
            self.error(line, start, "roll-missing", turn)
        rolls = moves = 0
        for nth, group in enumerate(row.groups, 1):
            for m in group.moves:
                if self.winner:
                    self.error(line, m.start, "after-end", turn)
                    return
                code = self.refuse(m, actor, group.reaction, faulty, rolls, moves)
                if code:
                    self.error(line, m.start, code, turn, nth)
                self.effect(m, actor, code, turn)
                moves += 1
                if m.action == "" and not group.reaction:
                    rolls += 1

    def show(self) -> None:
        cred = {p: sum(d[1] for d in self.board.values() if d and d[0] == p) for p in ("WE", "THEY")}
        dice = {die: (list(d) if d else None) for die, d in self.board.items()}
        self.boards.append({"turn": self.number, "dice": dice, "street_cred": cred})


def judge(text: str, ruleset: str = "cr") -> dict:
    """What SPEC says of a transcript: codes [(line, code, turn, entry)], boards, outcome, first, turns."""
    game = Game(ruleset)
    header_read = False
    blanks: list[int] = []
    blanks_right_before = 0
    for at, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        content = line.split(";")[0]
        squeezed = "".join(c for c in content if not c.isspace()).lower()
        if not squeezed:
            if ";" not in line and game.number:
                blanks.append(at)
                blanks_right_before += 1
            continue
        if squeezed.startswith("first"):
            blanks_right_before = 0
            if squeezed in ("first:we", "first:they") and not header_read and not game.number:
                header_read = True
                game.first = squeezed[6:].upper()
            else:
                game.error(at, 0, "syntax")
            continue
        row = read_row(content, swaps=ruleset != "quickref")
        for blank in blanks:
            game.error(blank, 0, "blank-line")
        before = game.number
        position = before + 1
        game.start_of(position)
        if blanks_right_before and row.number == position + blanks_right_before:
            for missing in range(position, row.number):
                game.end_of(missing)
            position = row.number
            game.start_of(position)
        elif row.number is not None and row.number != position:
            game.error(at, row.number_span[0], "turn-number", position)
        blanks, blanks_right_before = [], 0
        game.number = position
        if position > 16 >= before and not game.winner:
            game.error(at, row.content_at, "too-long", position)
        game.play(row, at)
        game.end_of(position)
        game.show()
    if game.number:
        game.start_of(game.number + 1)
    pending = None
    other = game.player(game.number)
    if not game.winner and game.count(other) >= (6 if game.alpha else 7):
        pending = other
    phase = None if not game.winner else "overtime" if game.won_in >= 15 else "regulation"
    return {
        "first": game.first,
        "turns": game.number,
        "codes": [(line, code, turn, entry) for line, _, _, code, turn, entry in sorted(game.errors)],
        "outcome": {"winner": game.winner, "turn": game.won_in, "phase": phase, "pending": pending},
        "boards": game.boards,
    }
