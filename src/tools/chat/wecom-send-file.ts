import { createSendFile } from './send-file.ts'

/** WeCom takes media of more than 5 bytes only (developer.work.weixin.qq.com/document/path/90253). */
export const wecomSendFileTool = createSendFile({
  name: 'wecom_send_file',
  platform: 'wecom',
  chat: 'WeCom',
  leastBytes: 6,
})
