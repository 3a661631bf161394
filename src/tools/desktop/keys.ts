/** Key names as people write them ("Ctrl+C") → the X names that xdotool takes ("ctrl+c"). */

const NAMED: Readonly<Record<string, string>> = {
  ctrl: 'ctrl',
  control: 'ctrl',
  alt: 'alt',
  option: 'alt',
  shift: 'shift',
  super: 'super',
  win: 'super',
  cmd: 'super',
  meta: 'super',
  enter: 'Return',
  return: 'Return',
  esc: 'Escape',
  escape: 'Escape',
  tab: 'Tab',
  space: 'space',
  backspace: 'BackSpace',
  delete: 'Delete',
  del: 'Delete',
  insert: 'Insert',
  home: 'Home',
  end: 'End',
  pageup: 'Prior',
  pagedown: 'Next',
  up: 'Up',
  down: 'Down',
  left: 'Left',
  right: 'Right',
  plus: 'plus',
  '-': 'minus',
  '=': 'equal',
  ',': 'comma',
  '.': 'period',
  '/': 'slash',
  '\\': 'backslash',
  ';': 'semicolon',
  "'": 'apostrophe',
  '`': 'grave',
  '[': 'bracketleft',
  ']': 'bracketright',
}

/** The X names of a combination such as `Ctrl+Shift+S`; undefined when a part is no key. */
export function keyNames(combination: string): string | undefined {
  const parts = combination.split('+').map((part) => part.trim())
  const names = parts.map(keyName)
  return names.includes(undefined) ? undefined : names.join('+')
}

function keyName(part: string): string | undefined {
  const lower = part.toLowerCase()
  if (Object.hasOwn(NAMED, lower)) return NAMED[lower]
  if (/^f([1-9]|1[0-2])$/.test(lower)) return lower.toUpperCase()
  return /^[a-z0-9]$/.test(lower) ? lower : undefined
}
