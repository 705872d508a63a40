const plural = new Intl.PluralRules('en')
const integer = new Intl.NumberFormat('en')

/** `1 task`, `2,000 tasks`. */
export function count(number: number, one: string, other: string): string {
  return `${integer.format(number)} ${plural.select(number) === 'one' ? one : other}`
}

export function formatNumber(number: number): string {
  return integer.format(number)
}
