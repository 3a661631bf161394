/** A whole service against the WeCom simulator, on real time unless a clock is given. */
import type { WecomControl } from '../../../adapters/wecom/simulator/control.ts'
import type { Clock } from '../../../src/protocol/ports.ts'
import { createSystemClock } from '../../../src/system/clock.ts'
import { type House, type HouseOptions, openHouse } from './house.ts'
import { openWecomCompany, type WecomCompany, type WecomCompanyOptions } from './wecom-company.ts'

export type WecomHouse = House<WecomCompany & { readonly control: WecomControl }>

export async function openWecomHouse(
  options: HouseOptions & WecomCompanyOptions = {},
  clock: Clock = createSystemClock(),
): Promise<WecomHouse> {
  const company = await openWecomCompany(clock, options)
  return openHouse({ ...company, control: company.simulator.control }, clock, options)
}
