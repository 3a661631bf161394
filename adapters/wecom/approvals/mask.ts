/** Hides what must not reach a model or a group: bank accounts, identity cards, telephone numbers. */

/** Keeps the last four characters, which is how people tell their accounts apart. */
export function maskAccount(account: string): string {
  const digits = account.replace(/\s/g, '')
  return digits.length <= 4 ? '****' : `****${digits.slice(-4)}`
}

const MOBILE = /(?<!\d)(1[3-9]\d)[ -]?\d{4}[ -]?(\d{4})(?!\d)/g
const LANDLINE = /(?<!\d)(0\d{2,3})-\d{3,4}(\d{4})(?!\d)/g
/** Identity cards (18) and bank cards (16–19): long runs of digits, perhaps in groups of four. */
const LONG_NUMBER = /(?<!\d)(?:\d{4}[ -]?){3,4}\d{1,6}[\dXx]?(?!\d)/g

/** Masks every such number inside free text. */
export function maskText(text: string): string {
  return text
    .replace(MOBILE, '$1****$2')
    .replace(LANDLINE, '$1-****$2')
    .replace(LONG_NUMBER, (found) => (found.replace(/\D/g, '').length >= 15 ? maskAccount(found) : found))
}
