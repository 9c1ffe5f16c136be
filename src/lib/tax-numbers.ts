// Checks the format of tax numbers. Whether one is registered is not checked.

/** VAT numbers of EU members without the country prefix, in capitals and without separators. */
const EU_FORMATS: Readonly<Record<string, RegExp>> = {
  AT: /^U\d{8}$/,
  BE: /^[01]\d{9}$/,
  BG: /^\d{9,10}$/,
  CY: /^\d{8}[A-Z]$/,
  CZ: /^\d{8,10}$/,
  DE: /^\d{9}$/,
  DK: /^\d{8}$/,
  EE: /^\d{9}$/,
  ES: /^[A-Z0-9]\d{7}[A-Z0-9]$/,
  FI: /^\d{8}$/,
  FR: /^[A-Z0-9]{2}\d{9}$/,
  GR: /^\d{9}$/,
  HR: /^\d{11}$/,
  HU: /^\d{8}$/,
  IE: /^\d[A-Z0-9+*]\d{5}[A-Z]{1,2}$/,
  IT: /^\d{11}$/,
  LT: /^(\d{9}|\d{12})$/,
  LU: /^\d{8}$/,
  LV: /^\d{11}$/,
  MT: /^\d{8}$/,
  NL: /^\d{9}B\d{2}$/,
  PL: /^\d{10}$/,
  PT: /^\d{9}$/,
  RO: /^\d{2,10}$/,
  SE: /^\d{12}$/,
  SI: /^\d{8}$/,
  SK: /^\d{10}$/,
}

/** Greek numbers have another prefix than the country's code. */
const prefixOf = (country: string): string => (country === "GR" ? "EL" : country)

/** Returns a tax number in capitals, without spaces, dots and hyphens. */
export const normalizeTaxNumber = (value: string): string => value.toUpperCase().replace(/[\s.-]/g, "")

/**
 * Whether a tax number has the format of its country.
 * @param number as `normalizeTaxNumber` returns it
 */
export function isTaxNumber(country: string, number: string): boolean {
  const format = Object.hasOwn(EU_FORMATS, country) ? EU_FORMATS[country] : undefined
  if (!format) return /^[A-Z0-9/]{4,20}$/.test(number)
  const prefix = prefixOf(country)
  return format.test(number.startsWith(prefix) ? number.slice(prefix.length) : number)
}
