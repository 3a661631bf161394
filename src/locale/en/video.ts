export const video: Readonly<Record<string, string>> = {
  'tool.video_gen': 'make a video; it is sent into this chat when it is ready',
  'lack.video_key': 'The MiniMax key is missing (video.apiKey).',
  'tools.video_gen.title': 'Make a video: {prompt}',
  'video.failed': 'The video was not made ({id}): {reason}',
  'video.reason.rejected': 'The provider refused the request. {detail}',
  'video.reason.timed_out': 'Not ready after {minutes} minutes; the service stopped waiting.',
  'video.reason.download': 'The video was made, but the file could not be fetched. {detail}',
  'video.reason.too_large': 'The video was made, but it is larger than this chat accepts ({megabytes} MB).',
}
