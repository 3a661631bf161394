/**
 * The one multipart shape that WeCom takes: field `media`, and the name as raw UTF-8 in `filename`.
 * It does not understand `filename*=` (WeiXinMPSDK#2682), which Node's own FormData would be free to use.
 */
export function mediaForm(
  name: string,
  content: Buffer,
  boundary: string,
): { body: Buffer; contentType: string } {
  const filename = name.replaceAll('"', '%22').replace(/[\r\n]/g, ' ')
  const head = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="media"; filename="${filename}"; filelength=${content.length}`,
    'Content-Type: application/octet-stream',
    '',
    '',
  ].join('\r\n')
  return {
    body: Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    contentType: `multipart/form-data; boundary=${boundary}`,
  }
}
