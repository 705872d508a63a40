export { serveStdio } from './transport/stdio.ts'
export type { StdioEnd, StdioHandle, StdioOptions } from './transport/stdio.ts'
