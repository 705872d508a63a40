export const OPERATIONS = {} as const
export type OperationName = keyof typeof OPERATIONS
