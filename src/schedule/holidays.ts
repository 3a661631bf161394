/**
 * Public holidays of mainland China as data: days off on weekdays, and weekend days that are worked
 * instead. Source: the notices of the General Office of the State Council on the arrangement of
 * holidays, 2025 (国办发明电〔2024〕12号) and 2026 (国办发明电〔2025〕7号). A year's notice appears in
 * November of the year before; until it is in here, or in the override file, only the days that the law
 * fixes by date are off (全国年节及纪念日放假办法, as of 2025), and whoever asks is told.
 */

export interface HolidayYear {
  /** First and last day off, `MM-DD`; a single day stands alone. */
  readonly off: readonly (readonly [string] | readonly [string, string])[]
  /** Saturdays and Sundays that are worked. */
  readonly worked: readonly string[]
}

/** Days off of a year without a notice; those of the lunar calendar are not among them. */
export const FIXED: HolidayYear['off'] = [['01-01'], ['05-01', '05-02'], ['10-01', '10-03']]

export const CHINA: Readonly<Record<string, HolidayYear>> = {
  '2025': {
    off: [
      ['01-01'],
      ['01-28', '02-04'],
      ['04-04', '04-06'],
      ['05-01', '05-05'],
      ['05-31', '06-02'],
      ['10-01', '10-08'],
    ],
    worked: ['01-26', '02-08', '04-27', '09-28', '10-11'],
  },
  '2026': {
    off: [
      ['01-01', '01-03'],
      ['02-15', '02-23'],
      ['04-04', '04-06'],
      ['05-01', '05-05'],
      ['06-19', '06-21'],
      ['09-25', '09-27'],
      ['10-01', '10-07'],
    ],
    worked: ['01-04', '02-14', '02-28', '05-09', '09-20', '10-10'],
  },
}
