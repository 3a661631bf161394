/** Terminal escape sequences: OSC, DCS and the like up to their terminator; CSI; two-character escapes. */
export const TERMINAL_SEQUENCES =
  /\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]?/g
