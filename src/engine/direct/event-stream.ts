/** Events of parallel work as one stream. Bounded: whoever emits waits until its event is taken. */

interface Parcel<T> {
  readonly event: T
  taken(): void
}

/**
 * Runs `work` and yields what it emits, in order. A rejection of `work` ends the stream with it. When
 * the reader goes away, `abandon` is called, later events are dropped and the work's end is awaited.
 */
export async function* asEvents<T>(
  work: (emit: (event: T) => Promise<void>) => Promise<void>,
  abandon: () => void,
): AsyncGenerator<T, void, void> {
  const parcels: Parcel<T>[] = []
  let open = true
  let finished = false
  let notify = (): void => undefined
  const emit = (event: T): Promise<void> => {
    if (!open) return Promise.resolve()
    return new Promise((taken) => {
      parcels.push({ event, taken })
      notify()
    })
  }
  const ended = work(emit).finally(() => {
    finished = true
    notify()
  })
  // The rejection is awaited below; this only keeps it from being reported as unhandled meanwhile.
  ended.catch(() => undefined)
  try {
    for (;;) {
      const parcel = parcels.shift()
      if (parcel) {
        parcel.taken()
        yield parcel.event
      } else if (finished) {
        break
      } else {
        await new Promise<void>((resolve) => {
          notify = resolve
        })
      }
    }
    await ended
  } finally {
    open = false
    for (const parcel of parcels.splice(0)) parcel.taken()
    if (!finished) {
      abandon()
      await ended.catch(() => undefined)
    }
  }
}
