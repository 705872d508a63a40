/** Equal to the version in package.json; a test says so. */
export const VERSION = '0.1.0'
