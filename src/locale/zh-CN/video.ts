export const video: Readonly<Record<string, string>> = {
  'tool.video_gen': '生成视频，完成后发到本会话',
  'lack.video_key': '还没有配置 MiniMax 的密钥（video.apiKey）。',
  'tools.video_gen.title': '生成视频：{prompt}',
  'video.failed': '视频没有生成（编号 {id}）：{reason}',
  'video.reason.rejected': '服务方拒绝了这次请求。{detail}',
  'video.reason.timed_out': '等了 {minutes} 分钟还没有完成，已停止等待。',
  'video.reason.download': '视频已生成，但没有取到文件。{detail}',
  'video.reason.too_large': '视频已生成，但文件超过本会话的大小限制（{megabytes} MB）。',
}
