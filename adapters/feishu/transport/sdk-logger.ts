import type { Logger } from '../../../src/protocol/ports.ts'

type SdkLog = (...parts: unknown[]) => void

/**
 * Logger for the SDK. Only strings pass, with the secret cut out: the SDK logs whole request objects
 * when a call fails, and those hold the app secret and message texts.
 */
export function createSdkLogger(
  logger: Logger,
  secret: string,
): Record<'error' | 'warn' | 'info' | 'debug' | 'trace', SdkLog> {
  const line = (parts: readonly unknown[]): string =>
    parts
      .flat(2)
      .filter((part) => typeof part === 'string')
      .join(' ')
      .replaceAll(secret, '***')
      .replace(/(access_key|ticket|device_id)=[^&\s]+/g, '$1=***')
      .slice(0, 500)
  const ignore: SdkLog = () => undefined
  return {
    error: (...parts) => logger.warn({ sdk: line(parts) }, 'feishu sdk'),
    warn: (...parts) => logger.warn({ sdk: line(parts) }, 'feishu sdk'),
    info: (...parts) => logger.debug({ sdk: line(parts) }, 'feishu sdk'),
    // Both levels hold payloads and the socket's ticket.
    debug: ignore,
    trace: ignore,
  }
}
