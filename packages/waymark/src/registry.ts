import type { Operation } from './core/operation.ts'
import { OPERATIONS, type OperationName } from './registry.generated.ts'

/** Loads the file of one operation. */
export async function findOperation(name: string): Promise<Operation | undefined> {
  return isOperationName(name) ? await OPERATIONS[name]() : undefined
}

/** The operations of a noun, in the order of their names. */
export async function operationsOf(noun: string): Promise<readonly Operation[]> {
  return await load((name) => name.startsWith(`${noun}.`))
}

export async function allOperations(): Promise<readonly Operation[]> {
  return await load(() => true)
}

async function load(isWanted: (name: string) => boolean): Promise<readonly Operation[]> {
  const names = Object.keys(OPERATIONS).filter(isOperationName).filter(isWanted)
  return await Promise.all(names.map((name) => OPERATIONS[name]()))
}

/** Whether there is one, without loading it. */
export function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name)
}
