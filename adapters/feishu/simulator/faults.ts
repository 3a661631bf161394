import type { DeliveryFault, RequestFault } from './control.ts'

/** The next endpoint requests answer this code. */
export interface EndpointFault {
  readonly code: number
  readonly message?: string
  readonly status?: number
  readonly times?: number
  readonly appId?: string
}

/** Faults that wait for their occasion. */
export interface Faults {
  addRequest(fault: RequestFault): void
  addDelivery(fault: DeliveryFault): void
  addEndpoint(fault: EndpointFault): void
  takeRequest(method: string, route: string, appId: string | undefined): RequestFault | undefined
  takeDelivery(appId: string, eventType: string): DeliveryFault | undefined
  takeEndpoint(appId: string): EndpointFault | undefined
  clear(): void
}

interface Waiting<T> {
  readonly fault: T
  left: number
  skip: number
}

/** The first fault that fits and is due; those that fit but must let some pass count this one. */
function take<T>(list: Waiting<T>[], fits: (fault: T) => boolean): T | undefined {
  for (const entry of list.filter((one) => fits(one.fault))) {
    if (entry.skip > 0) {
      entry.skip--
      continue
    }
    entry.left--
    if (entry.left <= 0) list.splice(list.indexOf(entry), 1)
    return entry.fault
  }
  return undefined
}

/** Starts without faults. */
export function createFaults(): Faults {
  const requests: Waiting<RequestFault>[] = []
  const deliveries: Waiting<DeliveryFault>[] = []
  const endpoints: Waiting<EndpointFault>[] = []
  return {
    addRequest: (fault) => requests.push({ fault, left: fault.times ?? 1, skip: fault.after ?? 0 }),
    addDelivery: (fault) => deliveries.push({ fault, left: fault.times ?? 1, skip: 0 }),
    addEndpoint: (fault) => endpoints.push({ fault, left: fault.times ?? 1, skip: 0 }),
    takeRequest: (method, route, appId) =>
      take(
        requests,
        (fault) =>
          (fault.route === undefined || fault.route === route || fault.route === `${method} ${route}`) &&
          (fault.appId === undefined || fault.appId === appId),
      ),
    takeDelivery: (appId, eventType) =>
      take(
        deliveries,
        (fault) =>
          (fault.appId === undefined || fault.appId === appId) &&
          (fault.eventType === undefined || fault.eventType === eventType),
      ),
    takeEndpoint: (appId) => take(endpoints, (fault) => fault.appId === undefined || fault.appId === appId),
    clear: () => {
      for (const list of [requests, deliveries, endpoints]) list.length = 0
    },
  }
}
