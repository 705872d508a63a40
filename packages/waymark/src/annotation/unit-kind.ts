/** Kinds of units between which a declaration can change without becoming another thing. */
type UnitKind = 'function' | 'type' | 'module' | 'value'

const KINDS: ReadonlyMap<string, UnitKind> = new Map([
  ...of('function', ['function', 'method', 'constructor', 'macro']),
  ...of('type', ['class', 'struct', 'interface', 'enum', 'type_alias', 'extension']),
  ...of('module', ['module', 'namespace']),
  ...of('value', ['constant', 'static', 'property']),
])

function of(kind: UnitKind, types: readonly string[]): readonly (readonly [string, UnitKind])[] {
  return types.map((type) => [type, kind])
}

/** Undefined for a kind that other tools have written and that can mean anything. */
export function kindOfUnit(type: string): UnitKind | undefined {
  return KINDS.get(type)
}

/** Whether a unit of today can be what an annotation of that kind is about. */
export function isSameKind(one: string, other: string): boolean {
  const [first, second] = [kindOfUnit(one), kindOfUnit(other)]
  return first === undefined || second === undefined || first === second
}
