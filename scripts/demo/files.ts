/** Source files of the demo project. */
export const FILES: Readonly<Record<string, string>> = {
  'README.md': '# Shop\n\nA small shop, for the demo of Waymark.\n',
  'src/cart/cart.ts': `import { withRetry } from '../net/retry.ts'

export interface Line {
  readonly sku: string
  readonly count: number
}

/** Puts a line into the cart of a session. */
export async function addLine(session: string, line: Line): Promise<void> {
  await withRetry(() => save(session, line))
}

export function totalOf(lines: readonly Line[], priceOf: (sku: string) => number): number {
  return lines.reduce((sum, { sku, count }) => sum + count * priceOf(sku), 0)
}

async function save(session: string, line: Line): Promise<void> {
  await fetch(\`/carts/\${session}\`, { method: 'PUT', body: JSON.stringify(line) })
}
`,
  'src/net/retry.ts': `const TRIES = 5
const FIRST_PAUSE = 100

/** Tries again with growing pauses; the last failure is thrown. */
export async function withRetry<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt === TRIES) throw error
      await pause(FIRST_PAUSE * 2 ** attempt * Math.random())
    }
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
`,
  'src/payments/card.ts': `export interface Charge {
  readonly amount: number
  readonly currency: string
  readonly key: string
}

/** Charges a card once, however often it is called with the same key. */
export async function charge({ amount, currency, key }: Charge): Promise<string> {
  const answer = await fetch('/bank/charges', {
    method: 'POST',
    headers: { 'idempotency-key': key },
    body: JSON.stringify({ amount, currency }),
  })
  const { id } = await answer.json()
  return id
}
`,
  'src/payments/receipt.ts': `/** A receipt as text, in the language of the order. */
export function toReceipt(order: { readonly number: number; readonly total: number }): string {
  return \`Order \${order.number}: \${(order.total / 100).toFixed(2)}\`
}
`,
}

/** A change that leaves one of the written reasons behind. */
export const CHANGED_RETRY: readonly [before: string, after: string] = [
  'await pause(FIRST_PAUSE * 2 ** attempt * Math.random())',
  'await pause(FIRST_PAUSE * 2 ** attempt)',
]
