"""
The inside of a virtual desktop: starts display, window manager and programs, and does what it is told,
one JSON line in, one JSON line out (descriptor 3). Runs in a cell without network as an unprivileged
user; it decides nothing about who may do what. Arguments: width, height, and a JSON list of programs
that may be opened. It follows elements.py in one program: virtual-desktop.ts joins the two.
"""
import base64
import json
import os
import subprocess
import sys
import time

WIDTH, HEIGHT = int(sys.argv[1]), int(sys.argv[2])
PROGRAMS = json.loads(sys.argv[3])
MAX_PROGRAMS = 8
# Programs that the message bus starts write to its standard output; answers have a pipe of their own.
ANSWERS = os.fdopen(3, "w", encoding="utf-8")
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}

opened = []


def run(*argv, text=None, seconds=10):
    done = subprocess.run(argv, input=text, capture_output=True, timeout=seconds, check=False)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()[:300]
        raise Refusal("failed", f"{argv[0]}: {said or done.returncode}")
    return done.stdout


def start():
    os.environ["DISPLAY"] = ":1"
    os.environ["GTK_A11Y"] = "atspi"
    size = f"{WIDTH}x{HEIGHT}x24"
    display = subprocess.Popen(["Xvfb", ":1", "-screen", "0", size, "-nolisten", "tcp", "-noreset"], **QUIET)
    until(lambda: succeeds("xdotool", "getdisplaygeometry"), 15)
    subprocess.Popen(["openbox"], **QUIET)
    # Only a window manager counts desktops; a program that comes before it stays without a frame.
    until(lambda: succeeds("xdotool", "get_num_desktops"), 10)
    Atspi.set_timeout(2000, 5000)
    Atspi.init()
    return display


def succeeds(*argv):
    return subprocess.run(argv, **QUIET, check=False).returncode == 0


def until(probe, seconds):
    end = time.monotonic() + seconds
    while not probe():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def windows():
    found = subprocess.run(
        ["xdotool", "search", "--onlyvisible", "--name", ".+"], capture_output=True, check=False
    ).stdout.split()
    named = []
    for each in found:
        title = subprocess.run(["xdotool", "getwindowname", each], capture_output=True, check=False).stdout
        title = title.decode(errors="replace").strip()
        if title and title != "Openbox":
            named.append((each.decode(), title))
    return named


def picture(*extra):
    return base64.b64encode(run("maim", "--format=png", *extra)).decode()


def screenshot(_step):
    return {"png": picture(), "windows": [title for _, title in windows()]}


def screenshot_window(step):
    wanted = step["title"].lower()
    open_now = windows()
    for each, title in open_now:
        if wanted in title.lower():
            run("xdotool", "windowactivate", each)
            time.sleep(0.3)
            return {"png": picture("--window", each), "windows": [title]}
    names = ", ".join(title for _, title in open_now) or "none"
    raise Refusal("not_found", f"There is no window with \"{step['title']}\" in its title. Open windows: {names}.")


def mouse(step):
    for words in step["moves"]:
        run("xdotool", *words)
        time.sleep(0.03)
    time.sleep(0.15)
    return {"windows": [title for _, title in windows()]}


def keyboard_type(step):
    """
    Plain ASCII goes as keys. Other characters are on no key: changing the keyboard for each of them, as
    xdotool does, loses some while a program still reads the last change. So they are put in where the
    caret is, through the accessibility tree; only a program without one gets them as slow keys.
    """
    text = step["text"]
    field = None if text.isascii() else focused_field()
    if field is not None and field.get_state_set().contains(Atspi.StateType.MULTI_LINE):
        put_in(field, text)
        text = ""
    delay = "15" if text.isascii() else "200"
    for at, line in enumerate(text.split("\n")):
        if at > 0:
            run("xdotool", "key", "Return")
        if field is not None:
            put_in(field, line)
        elif line:
            run("xdotool", "type", "--delay", delay, "--file", "-", text=line.encode(), seconds=120)
    time.sleep(0.3)
    return {"lines": ["as keys" if field is None else "into the focused field"]}


def focused_field():
    for node, _ in visible():
        if node.get_state_set().contains(Atspi.StateType.FOCUSED) and "EditableText" in interfaces(node):
            return node
    return None


def put_in(field, text):
    """Replaces the selection, as typing does."""
    at = Atspi.Text.get_caret_offset(field)
    if Atspi.Text.get_n_selections(field) > 0:
        chosen = Atspi.Text.get_selection(field, 0)
        if chosen.end_offset > chosen.start_offset:
            at = chosen.start_offset
            Atspi.EditableText.delete_text(field, chosen.start_offset, chosen.end_offset)
    Atspi.EditableText.insert_text(field, at, text, len(text.encode()))


def keyboard_key(step):
    run("xdotool", "key", "--clearmodifiers", step["keys"])
    time.sleep(0.3)
    return {}


def open_program(step):
    name = step["program"]
    if name not in PROGRAMS:
        raise Refusal("refused", f"\"{name}\" may not be opened here.")
    opened[:] = [each for each in opened if each.poll() is None]
    if len(opened) >= MAX_PROGRAMS:
        raise Refusal("limit", f"{MAX_PROGRAMS} programs are open; close one first.")
    before, known = windows(), frames()
    argv = [name] + ([step["file"]] if step.get("file") else [])
    try:
        opened.append(subprocess.Popen(argv, cwd=step["cwd"], start_new_session=True, **QUIET))
    except FileNotFoundError:
        how = f"Install it: apt-get install {name}"
        raise Refusal("unavailable", f"\"{name}\" is not installed on this machine. {how}") from None
    until(lambda: windows() != before, 10)
    if len(windows()) > len(before):
        # What is typed next goes through the tree. A program without one is given up on soon.
        until(lambda: frames() > known, 5)
    time.sleep(0.5)
    if frames() > 0:
        until(has_focus, 3)
    return {"lines": ["open: " + ", ".join(title for _, title in windows())]}


DEEDS = {
    "screenshot": screenshot,
    "screenshot_window": screenshot_window,
    "mouse": mouse,
    "type": keyboard_type,
    "key": keyboard_key,
    "open": open_program,
    "tree": tree,
    "find": find,
    "click": do_action,
    "do": do_action,
    "set": set_text,
    "read": read_text,
    "focus": focus,
}


def answer(step):
    try:
        return {"ok": True, **DEEDS[step["do"]](step)}
    except Refusal as refusal:
        return {"ok": False, "kind": refusal.kind, "message": str(refusal)}
    except subprocess.TimeoutExpired as late:
        return {"ok": False, "kind": "timeout", "message": f"{late.cmd[0]} did not end in time."}
    except (gi.repository.GLib.GError, OSError) as error:
        # A program that hangs or has just gone cannot be asked about its elements.
        return {"ok": False, "kind": "failed", "message": f"It could not be done: {str(error)[:300]}"}


def main():
    display = start()
    print(json.dumps({"id": 0, "ok": True}), file=ANSWERS, flush=True)
    for line in sys.stdin:
        step = json.loads(line)
        print(json.dumps({"id": step["id"], **answer(step)}), file=ANSWERS, flush=True)
        if display.poll() is not None:
            sys.exit("the display has ended")


main()
