"""
Elements of programs by their accessibility tree: listed with numbers, found by role and name, acted on.
The first part of the program whose second is driver.py; virtual-desktop.ts joins the two.
"""
import json
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402

MAX_NODES = 400
MAX_DEPTH = 40
MAX_TEXT = 2000
# A program that was just opened or clicked may show an element a moment later.
APPEARS_SECONDS = 2

elements = {}


class Refusal(Exception):
    """Something a person or a model can act on; `kind` is the type of the tool's error."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


def interfaces(node):
    return set(node.get_interfaces())


def text_of(node, has):
    if "Text" not in has:
        return ""
    return Atspi.Text.get_text(node, 0, min(Atspi.Text.get_character_count(node), MAX_TEXT))


def actions_of(node, has):
    if "Action" not in has:
        return []
    return [Atspi.Action.get_action_name(node, i) for i in range(Atspi.Action.get_n_actions(node))]


def visible():
    """Every showing element of every program, with its depth; bounded."""
    stack = []
    root = Atspi.get_desktop(0)
    # What has the focus and what shows would be as it was at the last look: nobody reads events here.
    root.clear_cache()
    for i in reversed(range(root.get_child_count())):
        stack.append((root.get_child_at_index(i), 0))
    while stack:
        node, depth = stack.pop()
        if node is None or depth > MAX_DEPTH:
            continue
        states = node.get_state_set()
        if depth > 0 and not states.contains(Atspi.StateType.SHOWING):
            continue
        yield node, depth
        for i in reversed(range(min(node.get_child_count(), MAX_NODES))):
            stack.append((node.get_child_at_index(i), depth + 1))


def line_of(node, depth):
    """One line about an element worth naming; None for pure layout."""
    has = interfaces(node)
    name, text, actions = node.get_name() or "", text_of(node, has), actions_of(node, has)
    if not (name or text or actions or "EditableText" in has):
        return None
    number = len(elements) + 1
    elements[number] = node
    words = [f"{'  ' * min(depth, 10)}#{number} {node.get_role_name()}"]
    if name:
        words.append(json.dumps(name[:120], ensure_ascii=False))
    if text or "EditableText" in has:
        words.append("text " + json.dumps(text[:200], ensure_ascii=False))
    if actions:
        words.append("(" + ", ".join(each for each in actions if each)[:80] + ")")
    if node.get_state_set().contains(Atspi.StateType.FOCUSED):
        words.append("focused")
    if "Component" in has:
        box = Atspi.Component.get_extents(node, Atspi.CoordType.SCREEN)
        words.append(f"@{box.x + box.width // 2},{box.y + box.height // 2}")
    return " ".join(words)


def tree(_step):
    elements.clear()
    lines, left = [], 0
    for node, depth in visible():
        if len(lines) >= MAX_NODES:
            left += 1
            continue
        line = line_of(node, depth)
        if line:
            lines.append(line)
    if left:
        lines.append(f"… {left} more elements; find them with: find role \"…\" name \"…\"")
    return {"lines": lines or ["No program shows anything. Open one with: open <program>"]}


def matching(step):
    for node, _ in visible():
        if step.get("role") and node.get_role_name() != step["role"]:
            continue
        if step.get("name") and step["name"].lower() not in (node.get_name() or "").lower():
            continue
        yield node


def find(step):
    lines = []
    for node in matching(step):
        line = line_of(node, 0)
        if line and len(lines) < 50:
            lines.append(line)
    return {"lines": lines or ["nothing found"]}


def frames():
    """Windows that the tree knows; it learns of one a little later than the screen shows it."""
    return sum(1 for _, depth in visible() if depth == 1)


def has_focus():
    return any(node.get_state_set().contains(Atspi.StateType.FOCUSED) for node, _ in visible())


def is_in_active_window(node):
    while node is not None:
        if node.get_state_set().contains(Atspi.StateType.ACTIVE):
            return True
        node = node.get_parent()
    return False


def best(step):
    """Of several that fit: the focused one, else one of the window in front, else the first."""
    found = list(matching(step))
    focused = [each for each in found if each.get_state_set().contains(Atspi.StateType.FOCUSED)]
    return next(iter(focused or filter(is_in_active_window, found)), found[0] if found else None)


def target(step):
    if step.get("element"):
        node = elements.get(step["element"])
        if node is None:
            raise Refusal("not_found", f"There is no element #{step['element']}; numbers are those of the newest tree.")
        return node
    end = time.monotonic() + APPEARS_SECONDS
    while True:
        found = best(step)
        if found is not None:
            return found
        if time.monotonic() > end:
            raise Refusal("not_found", f"No element with role {step.get('role')!r} and name {step.get('name')!r}.")
        time.sleep(0.1)


def do_action(step):
    node = target(step)
    names = actions_of(node, interfaces(node))
    if not names:
        raise Refusal("failed", "This element has no action; click at its place with mouse_click.")
    wanted = step.get("action")
    if wanted and wanted not in names:
        raise Refusal("not_found", f"No action \"{wanted}\"; there are: {', '.join(names)}.")
    Atspi.Action.do_action(node, names.index(wanted) if wanted else 0)
    time.sleep(0.4)
    return {"lines": [f"did {wanted or names[0] or 'its action'}"]}


def set_text(step):
    node = target(step)
    if "EditableText" not in interfaces(node):
        raise Refusal("failed", "This element takes no text.")
    Atspi.EditableText.set_text_contents(node, step["value"])
    time.sleep(0.2)
    return read_text(step)


def read_text(step):
    node = target(step)
    text = text_of(node, interfaces(node)) or node.get_name() or ""
    return {"lines": ["text " + json.dumps(text, ensure_ascii=False)]}


def focus(step):
    node = target(step)
    if "Component" not in interfaces(node) or not Atspi.Component.grab_focus(node):
        raise Refusal("failed", "This element cannot be focused; click at its place with mouse_click.")
    return {"lines": ["focused"]}
