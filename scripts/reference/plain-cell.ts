/** Text that stays within its cell of a Markdown table. */
export function plainCell(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '\\<')
}
