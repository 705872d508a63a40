/** The half-open range of ids that start with these hex digits: `g` sorts after every digit and hyphen. */
export function toIdRange(prefix: string): readonly [string, string] | undefined {
  const digits = prefix.replaceAll('-', '').toLowerCase()
  if (!/^[0-9a-f]{1,32}$/.test(digits)) return undefined
  const groups = /^(.{1,8})(.{0,4})(.{0,4})(.{0,4})(.{0,12})$/.exec(digits) ?? []
  const start = groups.slice(1).filter(Boolean).join('-')
  return [start, `${start}g`]
}
