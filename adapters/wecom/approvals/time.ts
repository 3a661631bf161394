/** Times of forms, as the company reads them: Beijing time. */

const FORMAT = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Asia/Shanghai',
  dateStyle: 'short',
  timeStyle: 'short',
})

/** `2025-12-01 10:00` of unix seconds; a dash for 0, which WeCom writes for "not yet". */
export function formatSeconds(seconds: number): string {
  return seconds === 0 ? '-' : FORMAT.format(seconds * 1_000)
}

/** The day only. */
export function formatDay(seconds: number): string {
  return formatSeconds(seconds).slice(0, 10)
}
