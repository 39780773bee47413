BEGIN TRANSACTION;
CREATE TABLE admins (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	name_key TEXT NOT NULL, 
	password_hash TEXT NOT NULL, 
	created DOUBLE NOT NULL, 
	disabled BOOLEAN NOT NULL, 
	CONSTRAINT pk_admins PRIMARY KEY (id), 
	CONSTRAINT uq_admins_name_key UNIQUE (name_key)
);
CREATE TABLE audit (
	id INTEGER NOT NULL, 
	at DOUBLE NOT NULL, 
	who TEXT NOT NULL, 
	what TEXT NOT NULL, 
	about TEXT NOT NULL, 
	address TEXT NOT NULL, 
	CONSTRAINT pk_audit PRIMARY KEY (id)
);
INSERT INTO "audit" VALUES(1,1352764800.0,'ada','contest started','','');
CREATE TABLE contests (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	state TEXT NOT NULL, 
	rules TEXT NOT NULL, 
	"plan" TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	created DOUBLE NOT NULL, 
	began DOUBLE, 
	ended DOUBLE, 
	CONSTRAINT pk_contests PRIMARY KEY (id)
);
INSERT INTO "contests" VALUES(1,'Old','running','{"game":{"points":[0,100,200,500,800],"sends":[0,0,1,2,4],"level_points":[1000,2500,5000,8000,12000,17000,23000,30000],"level_factors":[1,2,3,4,5,6,7,8,9],"gravity_ms":[1000,800,650,500,400,300,220,160,120],"queue":"bag","queue_length":5,"spawn_orientation":0,"rotate_above_top":true,"blocked_spawn":"lose","down_on_floor":"nothing","garbage_when":"lock","garbage_overlap":"lift","garbage_out":"lose","full_garbage_row":"redraw"},"match":{"games":5,"game_seconds":180.0,"match_seconds":1800.0,"connect_seconds":300.0,"first_pause_seconds":1.0,"pause_seconds":2.0,"repeat_seconds":1.0,"linger_seconds":30.0,"move_reply":"OK","text_numbers":false,"moves_per_second":0}}','{"ranking":false,"bracket":true,"qualifiers":0,"third_place":false,"seed":3}',2,1352764800.0,1352764800.0,NULL);
CREATE TABLE entrants (
	contest_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	team_id INTEGER NOT NULL, 
	CONSTRAINT pk_entrants PRIMARY KEY (contest_id, number), 
	CONSTRAINT fk_entrants_contest_id FOREIGN KEY(contest_id) REFERENCES contests (id), 
	CONSTRAINT fk_entrants_team_id FOREIGN KEY(team_id) REFERENCES teams (id)
);
INSERT INTO "entrants" VALUES(1,0,1);
INSERT INTO "entrants" VALUES(1,1,2);
INSERT INTO "entrants" VALUES(1,2,3);
INSERT INTO "entrants" VALUES(1,3,4);
CREATE TABLE games (
	match_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	result TEXT NOT NULL, 
	kept DOUBLE NOT NULL, 
	replay_bytes INTEGER NOT NULL, 
	CONSTRAINT pk_games PRIMARY KEY (match_id, number), 
	CONSTRAINT fk_games_match_id FOREIGN KEY(match_id) REFERENCES matches (id)
);
INSERT INTO "games" VALUES(1,1,'{"number":1,"game_name":"Game 1","winner":0,"ending":"top out","scores":[300,100],"lines":[3,1],"pieces":[20,18],"level":2,"seconds":12.5,"verdicts":[{"done":8},{"done":5,"collides":2}],"last_sequence":500,"last_piece_number":40}',1352764800.0,6);
INSERT INTO "games" VALUES(2,1,'{"number":1,"game_name":"Game 1","winner":0,"ending":"top out","scores":[300,100],"lines":[3,1],"pieces":[20,18],"level":2,"seconds":12.5,"verdicts":[{"done":8},{"done":5,"collides":2}],"last_sequence":500,"last_piece_number":40}',1352764800.0,6);
INSERT INTO "games" VALUES(3,1,'{"number":1,"game_name":"Game 1","winner":1,"ending":"top out","scores":[300,100],"lines":[3,1],"pieces":[20,18],"level":2,"seconds":12.5,"verdicts":[{"done":8},{"done":5,"collides":2}],"last_sequence":500,"last_piece_number":40}',1352764800.0,5);
CREATE TABLE invitations (
	token_hash BLOB NOT NULL, 
	purpose TEXT NOT NULL, 
	team_id INTEGER, 
	expires DOUBLE NOT NULL, 
	CONSTRAINT pk_invitations PRIMARY KEY (token_hash), 
	CONSTRAINT fk_invitations_team_id FOREIGN KEY(team_id) REFERENCES teams (id)
);
INSERT INTO "invitations" VALUES(X'66F75A7A2347236AE9ACB4D38DF41C8B1C53D8D65EA845443769EFA1A27F6A2D','admin',NULL,1352851200.0);
CREATE TABLE matches (
	id INTEGER NOT NULL, 
	token TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	name TEXT NOT NULL, 
	contest_id INTEGER, 
	slot TEXT NOT NULL, 
	team_0_id INTEGER, 
	team_1_id INTEGER, 
	team_0 TEXT NOT NULL, 
	team_1 TEXT NOT NULL, 
	bot_0 TEXT NOT NULL, 
	bot_1 TEXT NOT NULL, 
	rules TEXT NOT NULL, 
	state TEXT NOT NULL, 
	server TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	games_0 INTEGER NOT NULL, 
	games_1 INTEGER NOT NULL, 
	points_0 BIGINT NOT NULL, 
	points_1 BIGINT NOT NULL, 
	result TEXT, 
	created DOUBLE NOT NULL, 
	placed DOUBLE, 
	began DOUBLE, 
	ended DOUBLE, 
	CONSTRAINT pk_matches PRIMARY KEY (id), 
	CONSTRAINT uq_matches_token UNIQUE (token), 
	CONSTRAINT fk_matches_contest_id FOREIGN KEY(contest_id) REFERENCES contests (id), 
	CONSTRAINT fk_matches_team_0_id FOREIGN KEY(team_0_id) REFERENCES teams (id), 
	CONSTRAINT fk_matches_team_1_id FOREIGN KEY(team_1_id) REFERENCES teams (id)
);
INSERT INTO "matches" VALUES(1,'b3daf5a3-f6e4-4f70-80a1-876e7ef3d619','contest','Semi-final 1',1,'bracket/1/0',1,4,'Büro 3','three','','','{"game":{"points":[0,100,200,500,800],"sends":[0,0,1,2,4],"level_points":[1000,2500,5000,8000,12000,17000,23000,30000],"level_factors":[1,2,3,4,5,6,7,8,9],"gravity_ms":[1000,800,650,500,400,300,220,160,120],"queue":"bag","queue_length":5,"spawn_orientation":0,"rotate_above_top":true,"blocked_spawn":"lose","down_on_floor":"nothing","garbage_when":"lock","garbage_overlap":"lift","garbage_out":"lose","full_garbage_row":"redraw"},"match":{"games":5,"game_seconds":180.0,"match_seconds":1800.0,"connect_seconds":300.0,"first_pause_seconds":1.0,"pause_seconds":2.0,"repeat_seconds":1.0,"linger_seconds":30.0,"move_reply":"OK","text_numbers":false,"moves_per_second":0}}','done','',2,1,0,300,100,'{"winner":0,"ending":"all games played","games":[1,0],"points":[300,100]}',1352764800.0,NULL,NULL,1352764800.0);
INSERT INTO "matches" VALUES(2,'6aa2857d-3299-428b-a2a7-6635e40a2b80','contest','Semi-final 2',1,'bracket/1/1',2,3,'one','two','','','{"game":{"points":[0,100,200,500,800],"sends":[0,0,1,2,4],"level_points":[1000,2500,5000,8000,12000,17000,23000,30000],"level_factors":[1,2,3,4,5,6,7,8,9],"gravity_ms":[1000,800,650,500,400,300,220,160,120],"queue":"bag","queue_length":5,"spawn_orientation":0,"rotate_above_top":true,"blocked_spawn":"lose","down_on_floor":"nothing","garbage_when":"lock","garbage_overlap":"lift","garbage_out":"lose","full_garbage_row":"redraw"},"match":{"games":5,"game_seconds":180.0,"match_seconds":1800.0,"connect_seconds":300.0,"first_pause_seconds":1.0,"pause_seconds":2.0,"repeat_seconds":1.0,"linger_seconds":30.0,"move_reply":"OK","text_numbers":false,"moves_per_second":0}}','done','',2,1,0,300,100,'{"winner":0,"ending":"all games played","games":[1,0],"points":[300,100]}',1352764800.0,NULL,NULL,1352764800.0);
INSERT INTO "matches" VALUES(3,'1475c887-c2ae-48dd-9cd9-ec13baaea6b8','contest','Final',1,'bracket/2/0',1,2,'Büro 3','one','','','{"game":{"points":[0,100,200,500,800],"sends":[0,0,1,2,4],"level_points":[1000,2500,5000,8000,12000,17000,23000,30000],"level_factors":[1,2,3,4,5,6,7,8,9],"gravity_ms":[1000,800,650,500,400,300,220,160,120],"queue":"bag","queue_length":5,"spawn_orientation":0,"rotate_above_top":true,"blocked_spawn":"lose","down_on_floor":"nothing","garbage_when":"lock","garbage_overlap":"lift","garbage_out":"lose","full_garbage_row":"redraw"},"match":{"games":5,"game_seconds":180.0,"match_seconds":1800.0,"connect_seconds":300.0,"first_pause_seconds":1.0,"pause_seconds":2.0,"repeat_seconds":1.0,"linger_seconds":30.0,"move_reply":"OK","text_numbers":false,"moves_per_second":0}}','placed','north',2,0,1,300,100,NULL,1352764800.0,1352764800.0,NULL,NULL);
CREATE TABLE replays (
	match_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	data BLOB NOT NULL, 
	CONSTRAINT pk_replays PRIMARY KEY (match_id, number), 
	CONSTRAINT fk_replays_match_id_number FOREIGN KEY(match_id, number) REFERENCES games (match_id, number)
);
INSERT INTO "replays" VALUES(1,1,X'7265706C6179');
INSERT INTO "replays" VALUES(2,1,X'7265706C6179');
INSERT INTO "replays" VALUES(3,1,X'66696E616C');
CREATE TABLE sessions (
	token_hash BLOB NOT NULL, 
	team_id INTEGER, 
	admin_id INTEGER, 
	created DOUBLE NOT NULL, 
	expires DOUBLE NOT NULL, 
	CONSTRAINT pk_sessions PRIMARY KEY (token_hash), 
	CONSTRAINT ck_sessions_one CHECK ((team_id IS NULL) <> (admin_id IS NULL)), 
	CONSTRAINT fk_sessions_team_id FOREIGN KEY(team_id) REFERENCES teams (id), 
	CONSTRAINT fk_sessions_admin_id FOREIGN KEY(admin_id) REFERENCES admins (id)
);
INSERT INTO "sessions" VALUES(X'124C8B64C11DAD34402A100BE32F934B4B8A4B6092EB7C661E7BD61798B37949',1,NULL,1352764800.0,1352764860.0);
CREATE TABLE sevenbag_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT sevenbag_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "sevenbag_version" VALUES('0001');
CREATE TABLE teams (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	name_key TEXT NOT NULL, 
	password_hash TEXT NOT NULL, 
	created DOUBLE NOT NULL, 
	disabled BOOLEAN NOT NULL, 
	CONSTRAINT pk_teams PRIMARY KEY (id), 
	CONSTRAINT uq_teams_name_key UNIQUE (name_key)
);
INSERT INTO "teams" VALUES(1,'Büro 3','büro 3','$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$aGFzaA',1352764800.0,0);
INSERT INTO "teams" VALUES(2,'one','one','$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$aGFzaA',1352764800.0,0);
INSERT INTO "teams" VALUES(3,'two','two','$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$aGFzaA',1352764800.0,0);
INSERT INTO "teams" VALUES(4,'three','three','$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$aGFzaA',1352764800.0,0);
CREATE TABLE verdicts (
	match_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	seat INTEGER NOT NULL, 
	fate TEXT NOT NULL, 
	count BIGINT NOT NULL, 
	CONSTRAINT pk_verdicts PRIMARY KEY (match_id, number, seat, fate), 
	CONSTRAINT fk_verdicts_match_id_number FOREIGN KEY(match_id, number) REFERENCES games (match_id, number)
);
INSERT INTO "verdicts" VALUES(1,1,0,'done',8);
INSERT INTO "verdicts" VALUES(1,1,1,'collides',2);
INSERT INTO "verdicts" VALUES(1,1,1,'done',5);
INSERT INTO "verdicts" VALUES(2,1,0,'done',8);
INSERT INTO "verdicts" VALUES(2,1,1,'collides',2);
INSERT INTO "verdicts" VALUES(2,1,1,'done',5);
INSERT INTO "verdicts" VALUES(3,1,0,'done',8);
INSERT INTO "verdicts" VALUES(3,1,1,'collides',2);
INSERT INTO "verdicts" VALUES(3,1,1,'done',5);
CREATE INDEX ix_sessions_team_id ON sessions (team_id);
CREATE INDEX ix_sessions_admin_id ON sessions (admin_id);
CREATE UNIQUE INDEX uq_entrants_team ON entrants (contest_id, team_id);
CREATE INDEX ix_matches_contest_id ON matches (contest_id);
CREATE INDEX ix_matches_team_1_id ON matches (team_1_id);
CREATE INDEX ix_matches_team_0_id ON matches (team_0_id);
CREATE INDEX ix_matches_state ON matches (state);
CREATE UNIQUE INDEX uq_matches_slot ON matches (contest_id, slot) WHERE slot <> '' AND state <> 'called off';
COMMIT;
