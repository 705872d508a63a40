/** `npm run prove` sets it to `short` or `full`; it is absent in `npm test`. */
const LEVEL = process.env['TEST_LEVEL']

/** Whether soaks run with their full counts, as `npm run prove -- --only tests --level full` does. */
export const isFullLevel: boolean = LEVEL === 'full'

/** Whether a part is enough, because `npm run prove` tries everything: see `scripts/vitest/long-tests.ts`. */
export const isSample: boolean = LEVEL === undefined
