/** Every check tries less than `npm run prove:soak -- --level full` does. */
export const isFullLevel: boolean = process.env['TEST_LEVEL'] === 'full'
