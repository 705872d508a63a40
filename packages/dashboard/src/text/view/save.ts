/** Words of what is saved as a file. */
export const saveWords = {
  html: (view: string) => `Save ${view} as one HTML file`,
  csv: 'Save all tasks of the board as CSV',
  json: 'Save all tasks of the board as JSON',
} as const
