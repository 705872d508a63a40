/** Whether soaks run with their full counts, as `npm run prove -- --only tests --level full` does. */
export const isFullLevel: boolean = process.env['TEST_LEVEL'] === 'full'
