/**
 * The typed handle on the Feishu simulator: what an administrator, the people in the chats, the
 * network and the clock would do. It knows nothing of the product under test; everything the product
 * sees goes over HTTP and WebSocket at `url`.
 */
import type { Clock, Logger, Random } from '../../../src/protocol/ports.ts'
import type { UserControl } from './control-people.ts'
import type { TenantControl } from './control-tenant.ts'
import type { ViewControl } from './control-view.ts'
import type { SimulatorSettings } from './settings.ts'

export type * from './control-people.ts'
export type * from './control-tenant.ts'
export type * from './control-view.ts'

/** What a simulator is made of. */
export interface FeishuSimulatorOptions {
  /** Drives retries (15 s, 5 min, 1 h, 6 h), the 3 s answer limit, token life and every other window. */
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** Loopback port; absent takes a free one. */
  readonly port?: number
  readonly settings?: Partial<SimulatorSettings>
}

/** The platform of one or more tenants, listening on 127.0.0.1 until it is stopped. */
export interface FeishuSimulator {
  /** `http://127.0.0.1:PORT`: the `domain` of an SDK client. */
  readonly url: string
  readonly control: FeishuControl
  /** Closes sockets and the server; nothing keeps the process alive afterwards. */
  stop(): Promise<void>
}

/** Everything the simulator can be told or asked. Calls are synchronous unless people would wait. */
export interface FeishuControl extends TenantControl, UserControl, ViewControl {
  readonly faults: FaultControl
  /** Changes settings from now on. */
  configure(settings: Partial<SimulatorSettings>): void
}

/** Hits requests of the product. Every field is optional; a rule without effect fields does nothing. */
export interface RequestFault {
  /** `METHOD route` with placeholders as in {@link RequestEntry.route}, a route, or absent for all. */
  readonly route?: string
  readonly appId?: string
  /** How many requests it hits; default 1. */
  readonly times?: number
  /** How many matching requests pass before. */
  readonly after?: number
  readonly status?: number
  readonly code?: number
  readonly message?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds by the clock before the request is looked at. */
  readonly delayMs?: number
  /**
   * `drop_before`: the connection breaks and nothing was done; `drop_after`: done, but the answer is
   * lost; `cut`: half of the answer, then the connection breaks; `hang`: no answer at all; `html`: a proxy's
   * page instead of JSON.
   */
  readonly break?: 'drop_before' | 'drop_after' | 'cut' | 'hang' | 'html'
}

/** Hits deliveries to the product. */
export interface DeliveryFault {
  readonly appId?: string
  readonly eventType?: string
  readonly times?: number
  /**
   * `lose`: not sent, counts as failed; `duplicate`: sent twice at once; `hold`: kept back until the
   * next delivery has gone (reorder); `fragment`: split in three and shuffled (sockets only);
   * `early`: sent in the tick of the upgrade, where the SDK loses it (sockets only);
   * `ignore_answer`: the answer counts as missing.
   */
  readonly effect: 'lose' | 'duplicate' | 'hold' | 'fragment' | 'early' | 'ignore_answer'
}

/** Everything that can go wrong between the platform and the product. */
export interface FaultControl {
  onRequest(fault: RequestFault): void
  onDelivery(fault: DeliveryFault): void
  /** The next `times` endpoint requests answer this code (always with `data`). */
  onEndpoint(fault: { code: number; message?: string; status?: number; times?: number; appId?: string }): void
  /** Closes every socket of the app from the server's side. */
  closeSockets(appId: string, code?: number): void
  /** Sockets stay open but nothing comes out of them any more, nor is anything read. */
  stallSockets(appId: string): void
  /** Ends a stall; what was sent meanwhile is lost. */
  resumeSockets(appId: string): void
  /** Delivers the event of a message again, now; `newEventId` as the platform sometimes does. */
  redeliver(messageId: string, options?: { newEventId?: boolean; appId?: string }): void
  /** Delivers any event now, header made by the simulator. Returns the event id. */
  emit(appId: string, eventType: string, event: Readonly<Record<string, unknown>>): string
  clear(): void
}
