import {
  atTime,
  type ExportTable,
  flagColumn,
  integerColumn,
  ofAccounts,
  textColumn,
  timeColumn,
} from './table-definition.ts';

export const usersTable: ExportTable = {
  name: 'users',
  title: 'Accounts',
  columns: [
    textColumn('u.rest_id', "The service's id."),
    textColumn('u.screen_name', 'The handle, without `@`, when last seen.'),
    textColumn('u.name', 'The display name.'),
    textColumn('u.description', 'The biography.'),
    textColumn('u.location', 'The location as entered by the user.'),
    textColumn('u.url', 'The address of the profile.'),
    textColumn('u.type', 'The type as the service names it.'),
    textColumn('u.profile_image_url', 'The profile picture.'),
    textColumn('u.cover_image_url', 'The banner of the profile.'),
    flagColumn('u.verified', 'Whether it is verified, from summaries.'),
    flagColumn('u.is_blue_verified', 'Whether it is verified by a subscription, from profiles.'),
    flagColumn('u.can_dm', 'Whether it accepts direct messages.'),
    flagColumn('u.has_custom_timelines', 'Whether it has timelines of its own.'),
    flagColumn('u.is_translator', 'Whether it is a translator.'),
    integerColumn('u.followers_count', 'The reported number of followers.'),
    integerColumn('u.following_count', 'The reported number of followed accounts.'),
    integerColumn('u.favourites_count', 'The reported number of liked tweets.'),
    integerColumn('u.media_count', 'The reported number of tweets with media.'),
    integerColumn('u.statuses_count', 'The reported number of tweets.'),
    timeColumn('u.created_at', 'When the account was created.'),
    textColumn(
      `case when u.profile_at is not null then 'profile' when s.last_summary_at is not null then 'summary' else 'reference' end`,
      'The detail level: `profile`, `summary` (seen in a list), or `reference` (only as an author or owner). Most columns need a profile.',
      'known_by',
    ),
    timeColumn('u.first_seen_at', 'When the account was first seen in any form.'),
    timeColumn('s.last_seen_at', 'When the name and the handle were last seen.'),
    timeColumn('u.profile_at', 'When the full profile was last seen.'),
  ],
  from: 'users u left join _user_last_seen s on s.user_id = u.id',
  orderBy: 'u.id',
  key: ['u.id'],
  sampleKey: 'u.rest_id',
  time: atTime('u.created_at'),
  ...ofAccounts('u.id'),
  kinds: ['profile', 'followers', 'following'],
};

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
