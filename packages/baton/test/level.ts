/** Whether soaks run with their full counts, as `npm run prove -- --only tests --level full` does. */
export const isFullLevel: boolean = process.env['TEST_LEVEL'] === 'full'

/** A count for a title: `200000` as `200,000`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en')
}
