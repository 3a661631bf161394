/** Times of forms, as the company reads them: Beijing time. */

/** China has one zone and no summer time, so none of the 9 MB that `Intl` loads for a zone is needed. */
const BEIJING_MS = 8 * 3_600_000

/** `2025-12-01 10:00` of unix seconds; a dash for 0, which WeCom writes for "not yet". */
export function formatSeconds(seconds: number): string {
  if (seconds === 0) return '-'
  return new Date(seconds * 1_000 + BEIJING_MS).toISOString().slice(0, 16).replace('T', ' ')
}

/** The day only. */
export function formatDay(seconds: number): string {
  return formatSeconds(seconds).slice(0, 10)
}
