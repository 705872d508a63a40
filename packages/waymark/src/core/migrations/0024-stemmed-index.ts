import type { Migration } from '../store/migrations.ts'

export const stemmedIndex: Migration = {
  version: 24,
  sqlite: [
    // The index of a new project follows the rules of version 2 from the start; one with texts is made anew.
    `UPDATE counter SET value = 2
      WHERE name = 'search_index' AND NOT EXISTS (SELECT 1 FROM document)`,
  ],
}
