/** Whether an event may change lists of entities. */
export function isEntityEvent(type: string): boolean {
  return type === '*' || type.startsWith('entity.') || type.startsWith('decision.')
}
