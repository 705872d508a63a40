export const answersOfAgents = {
  version: 17,
  sqlite: [
    // Whose call it was, and for a server that is started anew under another id: a hash of its name and of the key,
    // and the process that the call came from.
    `ALTER TABLE answer ADD COLUMN agent_id TEXT`,
    `ALTER TABLE answer ADD COLUMN lineage TEXT`,
    `ALTER TABLE answer ADD COLUMN process TEXT`,
    `CREATE INDEX answer_by_lineage ON answer (operation, lineage) WHERE lineage IS NOT NULL`,
  ],
}
