import { type ExportTable, textColumn, timeColumn } from './table-definition.ts';

export const followsTable: ExportTable = {
  name: 'follows',
  title: 'Follow edges, current and ended',
  columns: [
    textColumn('r.rest_id', 'The id of the follower.', 'follower_rest_id'),
    textColumn('r.screen_name', 'The handle of the follower.', 'follower'),
    textColumn('e.rest_id', 'The id of the followed account.', 'followee_rest_id'),
    textColumn('e.screen_name', 'The handle of the followed account.', 'followee'),
    timeColumn('f.first_seen_at', 'When the edge was first seen. The service does not show when it began.'),
    timeColumn('f.last_seen_at', 'When it was last seen.'),
    timeColumn('f.first_missed_at', 'When a complete list first lacked it; null if it is not missing.'),
    timeColumn(
      'f.ended_at',
      'The latest time of its end: a second complete list lacked it, too. Null for a current edge.',
    ),
  ],
  from: `follows f
  cross join users r on r.id = f.follower_id
  cross join users e on e.id = f.followee_id`,
  orderBy: 'f.id',
  key: ['f.id'],
  sampleKey: `r.rest_id || ' ' || e.rest_id`,
  time: { first: 'f.first_seen_at', last: 'f.last_seen_at' },
  accountIds: ['f.follower_id', 'f.followee_id'],
  belongsTo: (set) => `f.id in (
    select id from follows where follower_id in (select id from ${set})
    union all select id from follows where followee_id in (select id from ${set})
  )`,
  kinds: ['followers', 'following'],
};
