import { createSendFile } from './send-file.ts'

/** Feishu refuses empty files. */
export const feishuSendFileTool = createSendFile({
  name: 'feishu_send_file',
  platform: 'feishu',
  chat: 'Feishu',
  leastBytes: 1,
})
