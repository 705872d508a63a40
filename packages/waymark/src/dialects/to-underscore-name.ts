/** Several hosts refuse dots in the names of tools, and one bad name makes them refuse the whole server. */
export function toUnderscoreName(name: string): string {
  return name.replaceAll('.', '_')
}
