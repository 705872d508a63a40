/** Beside the schemas of the projects: which projects the database has, who may use them, and what was changed in that. */
export const TEAM_SCHEMA = 'waymark_team'

/** Of projects that were created without naming one. */
export const DEFAULT_ORGANISATION = 'default'
