/** Text that a spreadsheet would run. Pure. */

/** What Excel, WPS and LibreOffice take for the beginning of a formula or a command. */
const STARTS = /^[\s\u200b\ufeff]*[=+\-@＝＋－＠]|^[\t\r\n]/u

/** True for text that must never reach a spreadsheet as it is; numbers such as -12.5 are harmless. */
export function looksLikeFormula(text: string): boolean {
  return STARTS.test(text) && !/^[+-]?\d[\d,]*(\.\d+)?%?$/.test(text)
}

/** The text behind an apostrophe, which spreadsheets read as "this is text" and do not show in a sheet. */
export function harmlessText(text: string): string {
  return looksLikeFormula(text) ? `'${text}` : text
}
