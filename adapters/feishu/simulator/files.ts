/** Uploads by bots and downloads: own resources by key, people's files only through their message. */
import { sniffImage } from './image.ts'
import { requireResourceMessage } from './message-resource.ts'
import { type Part, parseMultipart } from './multipart.ts'
import { type Call, data, type Platform, type Reply, type Route } from './platform.ts'
import { Refusal } from './refusal.ts'
import { needs } from './scopes.ts'
import type { Party, Resource, State } from './state.ts'

const mib = 1024 * 1024
const fileTypes = ['opus', 'mp4', 'pdf', 'doc', 'xls', 'ppt', 'stream']

/** Uploads, own downloads, and resources of messages. */
export function fileRoutes(platform: Platform): Route[] {
  return [
    {
      method: 'POST',
      path: '/open-apis/im/v1/images',
      needs: needs.upload,
      handle: (call) => uploadImage(platform, call),
    },
    {
      method: 'POST',
      path: '/open-apis/im/v1/files',
      needs: needs.upload,
      handle: (call) => uploadFile(platform, call),
    },
    {
      method: 'GET',
      path: '/open-apis/im/v1/images/:key',
      needs: needs.resource,
      handle: (call) => own(platform, call),
    },
    {
      method: 'GET',
      path: '/open-apis/im/v1/files/:key',
      needs: needs.resource,
      handle: (call) => own(platform, call),
    },
    {
      method: 'GET',
      path: '/open-apis/im/v1/messages/:message_id/resources/:key',
      needs: needs.resource,
      handle: (call) => download(requireResourceMessage(platform, call)),
    },
  ]
}

/** Keeps bytes under a new key. */
export function storeResource(
  state: State,
  init: { kind: Resource['kind']; type: string; name: string; bytes: Uint8Array; owner: Party },
): Resource {
  const prefix = init.kind === 'image' ? 'img_v3_' : 'file_v3_'
  const resource = { ...init, bytes: Buffer.from(init.bytes), key: state.ids.make(prefix, 32) }
  state.resources.set(resource.key, resource)
  return resource
}

function parts(
  platform: Platform,
  call: Call,
): { text: (name: string) => string; file: (name: string) => Buffer | undefined } {
  const list = parseMultipart(call.headers['content-type'] ?? '', call.raw)
  const find = (name: string): Part | undefined => list.find((part) => part.name === name)
  return {
    text: (name) => find(name)?.bytes.toString('utf8') ?? '',
    file: (name) => {
      const part = find(name)
      const isFile = part?.filename !== undefined || platform.state.settings.uploadWithoutFilename
      return part && isFile ? part.bytes : undefined
    },
  }
}

function uploadImage(platform: Platform, call: Call): Reply {
  const form = parts(platform, call)
  const bytes = form.file('image')
  const type = form.text('image_type')
  if (!bytes || (type !== 'message' && type !== 'avatar')) throw new Refusal(234001, 'Invalid request param')
  if (!call.app.bot) throw new Refusal(234007, 'App does not enable bot feature')
  if (bytes.length === 0) throw new Refusal(234010, "File's size can't be 0")
  if (bytes.length > 10 * mib) throw new Refusal(234006, 'The file size exceeds the max value')
  const facts = sniffImage(bytes)
  if (!facts) throw new Refusal(234011, 'Can not recognize image format')
  const limit = facts.format === 'gif' ? 2000 : 12_000
  if (facts.width > limit || facts.height > limit) throw new Refusal(234039, 'Image resolution exceeds limit')
  const owner: Party = { kind: 'bot', id: call.app.appId }
  return data({
    image_key: storeResource(platform.state, {
      kind: 'image',
      type,
      name: `image.${facts.format}`,
      bytes,
      owner,
    }).key,
  })
}

function uploadFile(platform: Platform, call: Call): Reply {
  const form = parts(platform, call)
  const bytes = form.file('file')
  const type = form.text('file_type')
  const name = form.text('file_name')
  if (!bytes || !fileTypes.includes(type) || name === '') throw new Refusal(234001, 'Invalid request param')
  if (!call.app.bot) throw new Refusal(234007, 'App does not enable bot feature')
  if (bytes.length === 0) throw new Refusal(234010, "File's size can't be 0")
  if (bytes.length > 30 * mib) throw new Refusal(234006, 'The file size exceeds the max value')
  const owner: Party = { kind: 'bot', id: call.app.appId }
  return data({ file_key: storeResource(platform.state, { kind: 'file', type, name, bytes, owner }).key })
}

function own(platform: Platform, call: Call): Reply {
  const resource = platform.state.resources.get(call.params['key'] ?? '')
  if (!resource) throw new Refusal(234001, 'Invalid request param')
  if (resource.owner.id !== call.app.appId) throw new Refusal(234008, 'The app is not the resource sender')
  return download(resource)
}

function download(resource: Resource): Reply {
  const image = resource.kind === 'image' ? sniffImage(resource.bytes) : undefined
  return {
    type: 'file',
    bytes: resource.bytes,
    headers: {
      'content-type': image ? `image/${image.format}` : 'application/octet-stream',
      // The platform writes raw UTF-8 bytes into the header, which Node reads as Latin-1.
      'content-disposition': Buffer.from(`attachment; filename="${headerName(resource.name)}"`).toString(
        'latin1',
      ),
    },
  }
}

function headerName(name: string): string {
  return name.replace(/[\r\n]/g, '').replaceAll('"', '%22')
}

/** What the journal keeps of an upload: fields, and byte counts instead of bytes. */
export function uploadSummary(contentType: string, raw: Buffer): Record<string, string> {
  return Object.fromEntries(
    parseMultipart(contentType, raw).map((part) => {
      const isBytes = part.filename !== undefined || part.name === 'file' || part.name === 'image'
      return [part.name, isBytes ? `${part.bytes.length} bytes` : part.bytes.toString('utf8')]
    }),
  )
}
