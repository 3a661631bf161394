import { createZoneTime } from '../../src/protocol/zone-time.ts'

/** The zone of most tests. */
export const ZONE = createZoneTime('Asia/Shanghai')
