/** The protobuf frame of the long connection, `pbbp2.Frame` (field numbers as in the official SDKs). */

/** A frame; ids beyond 2^53 lose precision, which no frame of ours has. */
export interface Frame {
  readonly seqId: number
  readonly logId: number
  readonly service: number
  /** 0 is control (ping, pong), 1 is data (event, card). */
  readonly method: number
  readonly headers: Readonly<Record<string, string>>
  readonly payload: Buffer
}

const wire = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  do {
    const low = rest % 128
    rest = Math.floor(rest / 128)
    bytes.push(rest > 0 ? low + 128 : low)
  } while (rest > 0)
  return Buffer.from(bytes)
}

function numberField(field: number, value: number): Buffer {
  return Buffer.concat([varint(field * 8 + wire.varint), varint(value)])
}

function bytesField(field: number, value: Buffer): Buffer {
  return Buffer.concat([varint(field * 8 + wire.bytes), varint(value.length), value])
}

/** The bytes of a frame; required fields are written even when they are zero. */
export function encodeFrame(frame: Frame): Buffer {
  const headers = Object.entries(frame.headers).map(([key, value]) =>
    bytesField(5, Buffer.concat([bytesField(1, Buffer.from(key)), bytesField(2, Buffer.from(value))])),
  )
  return Buffer.concat([
    numberField(1, frame.seqId),
    numberField(2, frame.logId),
    numberField(3, frame.service),
    numberField(4, frame.method),
    ...headers,
    ...(frame.payload.length > 0 ? [bytesField(8, frame.payload)] : []),
  ])
}

interface Field {
  readonly number: number
  readonly value: number
  readonly bytes: Buffer
}

function readVarint(buffer: Buffer, start: number): { value: number; next: number } {
  let value = 0
  let scale = 1
  let at = start
  for (;;) {
    const byte = buffer[at]
    if (byte === undefined) throw new RangeError('frame ends inside a number')
    at++
    value += (byte % 128) * scale
    if (byte < 128) return { value, next: at }
    scale *= 128
  }
}

function* fields(buffer: Buffer): Generator<Field> {
  let at = 0
  while (at < buffer.length) {
    const tag = readVarint(buffer, at)
    const number = Math.floor(tag.value / 8)
    const type = tag.value % 8
    at = tag.next
    if (type === wire.varint) {
      const read = readVarint(buffer, at)
      at = read.next
      yield { number, value: read.value, bytes: Buffer.alloc(0) }
      continue
    }
    const length = type === wire.bytes ? readVarint(buffer, at) : undefined
    const size = length?.value ?? (type === wire.fixed64 ? 8 : 4)
    const from = length?.next ?? at
    if (from + size > buffer.length) throw new RangeError('frame ends inside a field')
    yield { number, value: 0, bytes: buffer.subarray(from, from + size) }
    at = from + size
  }
}

/** Throws a RangeError on bytes that are no frame. */
export function decodeFrame(buffer: Buffer): Frame {
  const numbers = [0, 0, 0, 0, 0]
  const headers: Record<string, string> = {}
  let payload: Buffer = Buffer.alloc(0)
  for (const field of fields(buffer)) {
    if (field.number < 5) numbers[field.number] = field.value
    if (field.number === 8) payload = field.bytes
    if (field.number !== 5) continue
    const pair = [...fields(field.bytes)]
    const text = (n: number): string => pair.find((part) => part.number === n)?.bytes.toString() ?? ''
    headers[text(1)] = text(2)
  }
  const [, seqId = 0, logId = 0, service = 0, method = 0] = numbers
  return { seqId, logId, service, method, headers, payload }
}
