CREATE TABLE `_ship_bodies` (
	`entry` integer NOT NULL,
	`number` integer NOT NULL,
	`encoding` text NOT NULL,
	`body` blob NOT NULL,
	PRIMARY KEY(`entry`, `number`)
);
--> statement-breakpoint
ALTER TABLE `_ship_targets` ADD `bodies_since` integer;