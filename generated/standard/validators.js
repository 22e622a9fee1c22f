// Generated from scripts/generator/emit/standard-methods.ts by `npm run generate`. Change the descriptor, not this file.

import { isInexact as func0, keepIssue } from 'jmapsmith/capability';
export const getArguments = validate0;
const schema0 = {"$id":"getArguments","type":"object","required":["accountId"],"properties":{"accountId":{"type":"string"},"ids":{"type":["array","null"],"items":{"type":"string"}},"properties":{"type":["array","null"],"items":{"type":"string"}}},"additionalProperties":false};
function validate0(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="getArguments" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.accountId === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "accountId"},message:"must have required property '"+"accountId"+"'"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
for(const key0 in data){
if(!(((key0 === "accountId") || (key0 === "ids")) || (key0 === "properties"))){
const err1 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
}
if(data.accountId !== undefined){
if(typeof data.accountId !== "string"){
const err2 = {instancePath:instancePath+"/accountId",schemaPath:"#/properties/accountId/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err2);
errors++;
}
}
if(data.ids !== undefined){
let data1 = data.ids;
if((!(Array.isArray(data1))) && (data1 !== null)){
const err3 = {instancePath:instancePath+"/ids",schemaPath:"#/properties/ids/type",keyword:"type",params:{type: schema0.properties.ids.type},message:"must be array,null"};
vErrors = keepIssue(vErrors, err3);
errors++;
}
if(Array.isArray(data1)){
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
if(typeof data1[i0] !== "string"){
const err4 = {instancePath:instancePath+"/ids/" + i0,schemaPath:"#/properties/ids/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err4);
errors++;
}
}
}
}
if(data.properties !== undefined){
let data3 = data.properties;
if((!(Array.isArray(data3))) && (data3 !== null)){
const err5 = {instancePath:instancePath+"/properties",schemaPath:"#/properties/properties/type",keyword:"type",params:{type: schema0.properties.properties.type},message:"must be array,null"};
vErrors = keepIssue(vErrors, err5);
errors++;
}
if(Array.isArray(data3)){
const len1 = data3.length;
for(let i1=0; i1<len1; i1++){
if(typeof data3[i1] !== "string"){
const err6 = {instancePath:instancePath+"/properties/" + i1,schemaPath:"#/properties/properties/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err6);
errors++;
}
}
}
}
}
else {
const err7 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err7);
errors++;
}
validate0.errors = vErrors;
return errors === 0;
}
export const changesArguments = validate1;
const schema1 = {"$id":"changesArguments","type":"object","required":["accountId","sinceState"],"properties":{"accountId":{"type":"string"},"sinceState":{"type":"string"},"maxChanges":{"type":["integer","null"],"minimum":1,"maximum":9007199254740991}},"additionalProperties":false};
function validate1(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="changesArguments" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.accountId === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "accountId"},message:"must have required property '"+"accountId"+"'"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
if(data.sinceState === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sinceState"},message:"must have required property '"+"sinceState"+"'"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
for(const key0 in data){
if(!(((key0 === "accountId") || (key0 === "sinceState")) || (key0 === "maxChanges"))){
const err2 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err2);
errors++;
}
}
if(data.accountId !== undefined){
if(typeof data.accountId !== "string"){
const err3 = {instancePath:instancePath+"/accountId",schemaPath:"#/properties/accountId/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err3);
errors++;
}
}
if(data.sinceState !== undefined){
if(typeof data.sinceState !== "string"){
const err4 = {instancePath:instancePath+"/sinceState",schemaPath:"#/properties/sinceState/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err4);
errors++;
}
}
if(data.maxChanges !== undefined){
let data2 = data.maxChanges;
if((!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))) && (data2 !== null)){
const err5 = {instancePath:instancePath+"/maxChanges",schemaPath:"#/properties/maxChanges/type",keyword:"type",params:{type: schema1.properties.maxChanges.type},message:"must be integer,null"};
vErrors = keepIssue(vErrors, err5);
errors++;
}
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 > 9007199254740991 || isNaN(data2)){
const err6 = {instancePath:instancePath+"/maxChanges",schemaPath:"#/properties/maxChanges/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"};
vErrors = keepIssue(vErrors, err6);
errors++;
}
if(data2 < 1 || isNaN(data2)){
const err7 = {instancePath:instancePath+"/maxChanges",schemaPath:"#/properties/maxChanges/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
vErrors = keepIssue(vErrors, err7);
errors++;
}
}
}
}
else {
const err8 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err8);
errors++;
}
validate1.errors = vErrors;
return errors === 0;
}
export const setArguments = validate2;
const schema2 = {"$id":"setArguments","type":"object","required":["accountId"],"properties":{"accountId":{"type":"string"},"ifInState":{"type":["string","null"]},"create":{"type":["object","null"],"noNumber":true,"propertyNames":{"type":"string","pattern":"^[A-Za-z0-9_-]{1,255}$"}},"update":{"type":["object","null"],"noNumber":true},"destroy":{"type":["array","null"],"items":{"type":"string"}}},"additionalProperties":false};
const pattern0 = new RegExp("^[A-Za-z0-9_-]{1,255}$", "u");
function validate2(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="setArguments" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.accountId === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "accountId"},message:"must have required property '"+"accountId"+"'"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
for(const key0 in data){
if(!(((((key0 === "accountId") || (key0 === "ifInState")) || (key0 === "create")) || (key0 === "update")) || (key0 === "destroy"))){
const err1 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
}
if(data.accountId !== undefined){
if(typeof data.accountId !== "string"){
const err2 = {instancePath:instancePath+"/accountId",schemaPath:"#/properties/accountId/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err2);
errors++;
}
}
if(data.ifInState !== undefined){
let data1 = data.ifInState;
if((typeof data1 !== "string") && (data1 !== null)){
const err3 = {instancePath:instancePath+"/ifInState",schemaPath:"#/properties/ifInState/type",keyword:"type",params:{type: schema2.properties.ifInState.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err3);
errors++;
}
}
if(data.create !== undefined){
let data2 = data.create;
if((!(data2 && typeof data2 == "object" && !Array.isArray(data2))) && (data2 !== null)){
const err4 = {instancePath:instancePath+"/create",schemaPath:"#/properties/create/type",keyword:"type",params:{type: schema2.properties.create.type},message:"must be object,null"};
vErrors = keepIssue(vErrors, err4);
errors++;
}
if(func0(data2)){
const err5 = {instancePath:instancePath+"/create",schemaPath:"#/properties/create/noNumber",keyword:"noNumber",params:{},message:"must be object"};
vErrors = keepIssue(vErrors, err5);
errors++;
}
if(data2 && typeof data2 == "object" && !Array.isArray(data2)){
for(const key1 in data2){
const _errs8 = errors;
if(typeof key1 === "string"){
if(!pattern0.test(key1)){
const err6 = {instancePath:instancePath+"/create",schemaPath:"#/properties/create/propertyNames/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_-]{1,255}$"},message:"must match pattern \""+"^[A-Za-z0-9_-]{1,255}$"+"\"",propertyName:key1};
vErrors = keepIssue(vErrors, err6);
errors++;
}
}
else {
const err7 = {instancePath:instancePath+"/create",schemaPath:"#/properties/create/propertyNames/type",keyword:"type",params:{type: "string"},message:"must be string",propertyName:key1};
vErrors = keepIssue(vErrors, err7);
errors++;
}
var valid1 = _errs8 === errors;
if(!valid1){
const err8 = {instancePath:instancePath+"/create",schemaPath:"#/properties/create/propertyNames",keyword:"propertyNames",params:{propertyName: key1},message:"property name must be valid"};
vErrors = keepIssue(vErrors, err8);
errors++;
}
}
}
}
if(data.update !== undefined){
let data3 = data.update;
if((!(data3 && typeof data3 == "object" && !Array.isArray(data3))) && (data3 !== null)){
const err9 = {instancePath:instancePath+"/update",schemaPath:"#/properties/update/type",keyword:"type",params:{type: schema2.properties.update.type},message:"must be object,null"};
vErrors = keepIssue(vErrors, err9);
errors++;
}
if(func0(data3)){
const err10 = {instancePath:instancePath+"/update",schemaPath:"#/properties/update/noNumber",keyword:"noNumber",params:{},message:"must be object"};
vErrors = keepIssue(vErrors, err10);
errors++;
}
}
if(data.destroy !== undefined){
let data4 = data.destroy;
if((!(Array.isArray(data4))) && (data4 !== null)){
const err11 = {instancePath:instancePath+"/destroy",schemaPath:"#/properties/destroy/type",keyword:"type",params:{type: schema2.properties.destroy.type},message:"must be array,null"};
vErrors = keepIssue(vErrors, err11);
errors++;
}
if(Array.isArray(data4)){
const len0 = data4.length;
for(let i0=0; i0<len0; i0++){
if(typeof data4[i0] !== "string"){
const err12 = {instancePath:instancePath+"/destroy/" + i0,schemaPath:"#/properties/destroy/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err12);
errors++;
}
}
}
}
}
else {
const err13 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err13);
errors++;
}
validate2.errors = vErrors;
return errors === 0;
}
export const copyArguments = validate3;
const schema3 = {"$id":"copyArguments","type":"object","required":["fromAccountId","accountId","create"],"properties":{"fromAccountId":{"type":"string"},"ifFromInState":{"type":["string","null"]},"accountId":{"type":"string"},"ifInState":{"type":["string","null"]},"create":{"type":"object","noNumber":true,"propertyNames":{"type":"string","pattern":"^[A-Za-z0-9_-]{1,255}$"}},"onSuccessDestroyOriginal":{"type":"boolean"},"destroyFromIfInState":{"type":["string","null"]}},"additionalProperties":false};
function validate3(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="copyArguments" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.fromAccountId === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "fromAccountId"},message:"must have required property '"+"fromAccountId"+"'"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
if(data.accountId === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "accountId"},message:"must have required property '"+"accountId"+"'"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
if(data.create === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "create"},message:"must have required property '"+"create"+"'"};
vErrors = keepIssue(vErrors, err2);
errors++;
}
for(const key0 in data){
if(!(((((((key0 === "fromAccountId") || (key0 === "ifFromInState")) || (key0 === "accountId")) || (key0 === "ifInState")) || (key0 === "create")) || (key0 === "onSuccessDestroyOriginal")) || (key0 === "destroyFromIfInState"))){
const err3 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err3);
errors++;
}
}
if(data.fromAccountId !== undefined){
if(typeof data.fromAccountId !== "string"){
const err4 = {instancePath:instancePath+"/fromAccountId",schemaPath:"#/properties/fromAccountId/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err4);
errors++;
}
}
if(data.ifFromInState !== undefined){
let data1 = data.ifFromInState;
if((typeof data1 !== "string") && (data1 !== null)){
const err5 = {instancePath:instancePath+"/ifFromInState",schemaPath:"#/properties/ifFromInState/type",keyword:"type",params:{type: schema3.properties.ifFromInState.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err5);
errors++;
}
}
if(data.accountId !== undefined){
if(typeof data.accountId !== "string"){
const err6 = {instancePath:instancePath+"/accountId",schemaPath:"#/properties/accountId/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err6);
errors++;
}
}
if(data.ifInState !== undefined){
let data3 = data.ifInState;
if((typeof data3 !== "string") && (data3 !== null)){
const err7 = {instancePath:instancePath+"/ifInState",schemaPath:"#/properties/ifInState/type",keyword:"type",params:{type: schema3.properties.ifInState.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err7);
errors++;
}
}
if(data.create !== undefined){
let data4 = data.create;
if(func0(data4)){
const err8 = {instancePath:instancePath+"/create",schemaPath:"#/properties/create/noNumber",keyword:"noNumber",params:{},message:"must be object"};
vErrors = keepIssue(vErrors, err8);
errors++;
}
if(data4 && typeof data4 == "object" && !Array.isArray(data4)){
for(const key1 in data4){
const _errs12 = errors;
if(typeof key1 === "string"){
if(!pattern0.test(key1)){
const err9 = {instancePath:instancePath+"/create",schemaPath:"#/properties/create/propertyNames/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_-]{1,255}$"},message:"must match pattern \""+"^[A-Za-z0-9_-]{1,255}$"+"\"",propertyName:key1};
vErrors = keepIssue(vErrors, err9);
errors++;
}
}
else {
const err10 = {instancePath:instancePath+"/create",schemaPath:"#/properties/create/propertyNames/type",keyword:"type",params:{type: "string"},message:"must be string",propertyName:key1};
vErrors = keepIssue(vErrors, err10);
errors++;
}
var valid1 = _errs12 === errors;
if(!valid1){
const err11 = {instancePath:instancePath+"/create",schemaPath:"#/properties/create/propertyNames",keyword:"propertyNames",params:{propertyName: key1},message:"property name must be valid"};
vErrors = keepIssue(vErrors, err11);
errors++;
}
}
}
else {
const err12 = {instancePath:instancePath+"/create",schemaPath:"#/properties/create/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err12);
errors++;
}
}
if(data.onSuccessDestroyOriginal !== undefined){
if(typeof data.onSuccessDestroyOriginal !== "boolean"){
const err13 = {instancePath:instancePath+"/onSuccessDestroyOriginal",schemaPath:"#/properties/onSuccessDestroyOriginal/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
vErrors = keepIssue(vErrors, err13);
errors++;
}
}
if(data.destroyFromIfInState !== undefined){
let data6 = data.destroyFromIfInState;
if((typeof data6 !== "string") && (data6 !== null)){
const err14 = {instancePath:instancePath+"/destroyFromIfInState",schemaPath:"#/properties/destroyFromIfInState/type",keyword:"type",params:{type: schema3.properties.destroyFromIfInState.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err14);
errors++;
}
}
}
else {
const err15 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err15);
errors++;
}
validate3.errors = vErrors;
return errors === 0;
}
export const queryArguments = validate4;
const schema4 = {"$id":"queryArguments","type":"object","required":["accountId"],"properties":{"accountId":{"type":"string"},"filter":{"type":["object","null"],"noNumber":true},"sort":{"type":["array","null"],"items":{"type":"object","required":["property"],"properties":{"property":{"type":"string"},"isAscending":{"type":"boolean"},"collation":{"type":"string"}},"noNumber":true}},"position":{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991},"anchor":{"type":["string","null"]},"anchorOffset":{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991},"limit":{"type":["integer","null"],"minimum":0,"maximum":9007199254740991},"calculateTotal":{"type":"boolean"}},"additionalProperties":false};
function validate4(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="queryArguments" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.accountId === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "accountId"},message:"must have required property '"+"accountId"+"'"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
for(const key0 in data){
if(!((((((((key0 === "accountId") || (key0 === "filter")) || (key0 === "sort")) || (key0 === "position")) || (key0 === "anchor")) || (key0 === "anchorOffset")) || (key0 === "limit")) || (key0 === "calculateTotal"))){
const err1 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
}
if(data.accountId !== undefined){
if(typeof data.accountId !== "string"){
const err2 = {instancePath:instancePath+"/accountId",schemaPath:"#/properties/accountId/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err2);
errors++;
}
}
if(data.filter !== undefined){
let data1 = data.filter;
if((!(data1 && typeof data1 == "object" && !Array.isArray(data1))) && (data1 !== null)){
const err3 = {instancePath:instancePath+"/filter",schemaPath:"#/properties/filter/type",keyword:"type",params:{type: schema4.properties.filter.type},message:"must be object,null"};
vErrors = keepIssue(vErrors, err3);
errors++;
}
if(func0(data1)){
const err4 = {instancePath:instancePath+"/filter",schemaPath:"#/properties/filter/noNumber",keyword:"noNumber",params:{},message:"must be object"};
vErrors = keepIssue(vErrors, err4);
errors++;
}
}
if(data.sort !== undefined){
let data2 = data.sort;
if((!(Array.isArray(data2))) && (data2 !== null)){
const err5 = {instancePath:instancePath+"/sort",schemaPath:"#/properties/sort/type",keyword:"type",params:{type: schema4.properties.sort.type},message:"must be array,null"};
vErrors = keepIssue(vErrors, err5);
errors++;
}
if(Array.isArray(data2)){
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
let data3 = data2[i0];
if(func0(data3)){
const err6 = {instancePath:instancePath+"/sort/" + i0,schemaPath:"#/properties/sort/items/noNumber",keyword:"noNumber",params:{},message:"must be object"};
vErrors = keepIssue(vErrors, err6);
errors++;
}
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
if(data3.property === undefined){
const err7 = {instancePath:instancePath+"/sort/" + i0,schemaPath:"#/properties/sort/items/required",keyword:"required",params:{missingProperty: "property"},message:"must have required property '"+"property"+"'"};
vErrors = keepIssue(vErrors, err7);
errors++;
}
if(data3.property !== undefined){
if(typeof data3.property !== "string"){
const err8 = {instancePath:instancePath+"/sort/" + i0+"/property",schemaPath:"#/properties/sort/items/properties/property/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err8);
errors++;
}
}
if(data3.isAscending !== undefined){
if(typeof data3.isAscending !== "boolean"){
const err9 = {instancePath:instancePath+"/sort/" + i0+"/isAscending",schemaPath:"#/properties/sort/items/properties/isAscending/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
vErrors = keepIssue(vErrors, err9);
errors++;
}
}
if(data3.collation !== undefined){
if(typeof data3.collation !== "string"){
const err10 = {instancePath:instancePath+"/sort/" + i0+"/collation",schemaPath:"#/properties/sort/items/properties/collation/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err10);
errors++;
}
}
}
else {
const err11 = {instancePath:instancePath+"/sort/" + i0,schemaPath:"#/properties/sort/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err11);
errors++;
}
}
}
}
if(data.position !== undefined){
let data7 = data.position;
if(!(((typeof data7 == "number") && (!(data7 % 1) && !isNaN(data7))) && (isFinite(data7)))){
const err12 = {instancePath:instancePath+"/position",schemaPath:"#/properties/position/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
vErrors = keepIssue(vErrors, err12);
errors++;
}
if((typeof data7 == "number") && (isFinite(data7))){
if(data7 > 9007199254740991 || isNaN(data7)){
const err13 = {instancePath:instancePath+"/position",schemaPath:"#/properties/position/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"};
vErrors = keepIssue(vErrors, err13);
errors++;
}
if(data7 < -9007199254740991 || isNaN(data7)){
const err14 = {instancePath:instancePath+"/position",schemaPath:"#/properties/position/minimum",keyword:"minimum",params:{comparison: ">=", limit: -9007199254740991},message:"must be >= -9007199254740991"};
vErrors = keepIssue(vErrors, err14);
errors++;
}
}
}
if(data.anchor !== undefined){
let data8 = data.anchor;
if((typeof data8 !== "string") && (data8 !== null)){
const err15 = {instancePath:instancePath+"/anchor",schemaPath:"#/properties/anchor/type",keyword:"type",params:{type: schema4.properties.anchor.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err15);
errors++;
}
}
if(data.anchorOffset !== undefined){
let data9 = data.anchorOffset;
if(!(((typeof data9 == "number") && (!(data9 % 1) && !isNaN(data9))) && (isFinite(data9)))){
const err16 = {instancePath:instancePath+"/anchorOffset",schemaPath:"#/properties/anchorOffset/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
vErrors = keepIssue(vErrors, err16);
errors++;
}
if((typeof data9 == "number") && (isFinite(data9))){
if(data9 > 9007199254740991 || isNaN(data9)){
const err17 = {instancePath:instancePath+"/anchorOffset",schemaPath:"#/properties/anchorOffset/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"};
vErrors = keepIssue(vErrors, err17);
errors++;
}
if(data9 < -9007199254740991 || isNaN(data9)){
const err18 = {instancePath:instancePath+"/anchorOffset",schemaPath:"#/properties/anchorOffset/minimum",keyword:"minimum",params:{comparison: ">=", limit: -9007199254740991},message:"must be >= -9007199254740991"};
vErrors = keepIssue(vErrors, err18);
errors++;
}
}
}
if(data.limit !== undefined){
let data10 = data.limit;
if((!(((typeof data10 == "number") && (!(data10 % 1) && !isNaN(data10))) && (isFinite(data10)))) && (data10 !== null)){
const err19 = {instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/type",keyword:"type",params:{type: schema4.properties.limit.type},message:"must be integer,null"};
vErrors = keepIssue(vErrors, err19);
errors++;
}
if((typeof data10 == "number") && (isFinite(data10))){
if(data10 > 9007199254740991 || isNaN(data10)){
const err20 = {instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"};
vErrors = keepIssue(vErrors, err20);
errors++;
}
if(data10 < 0 || isNaN(data10)){
const err21 = {instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
vErrors = keepIssue(vErrors, err21);
errors++;
}
}
}
if(data.calculateTotal !== undefined){
if(typeof data.calculateTotal !== "boolean"){
const err22 = {instancePath:instancePath+"/calculateTotal",schemaPath:"#/properties/calculateTotal/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
vErrors = keepIssue(vErrors, err22);
errors++;
}
}
}
else {
const err23 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err23);
errors++;
}
validate4.errors = vErrors;
return errors === 0;
}
export const queryChangesArguments = validate5;
const schema5 = {"$id":"queryChangesArguments","type":"object","required":["accountId","sinceQueryState"],"properties":{"accountId":{"type":"string"},"filter":{"type":["object","null"],"noNumber":true},"sort":{"type":["array","null"],"items":{"type":"object","required":["property"],"properties":{"property":{"type":"string"},"isAscending":{"type":"boolean"},"collation":{"type":"string"}},"noNumber":true}},"sinceQueryState":{"type":"string"},"maxChanges":{"type":["integer","null"],"minimum":0,"maximum":9007199254740991},"upToId":{"type":["string","null"]},"calculateTotal":{"type":"boolean"}},"additionalProperties":false};
function validate5(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="queryChangesArguments" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.accountId === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "accountId"},message:"must have required property '"+"accountId"+"'"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
if(data.sinceQueryState === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sinceQueryState"},message:"must have required property '"+"sinceQueryState"+"'"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
for(const key0 in data){
if(!(((((((key0 === "accountId") || (key0 === "filter")) || (key0 === "sort")) || (key0 === "sinceQueryState")) || (key0 === "maxChanges")) || (key0 === "upToId")) || (key0 === "calculateTotal"))){
const err2 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err2);
errors++;
}
}
if(data.accountId !== undefined){
if(typeof data.accountId !== "string"){
const err3 = {instancePath:instancePath+"/accountId",schemaPath:"#/properties/accountId/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err3);
errors++;
}
}
if(data.filter !== undefined){
let data1 = data.filter;
if((!(data1 && typeof data1 == "object" && !Array.isArray(data1))) && (data1 !== null)){
const err4 = {instancePath:instancePath+"/filter",schemaPath:"#/properties/filter/type",keyword:"type",params:{type: schema5.properties.filter.type},message:"must be object,null"};
vErrors = keepIssue(vErrors, err4);
errors++;
}
if(func0(data1)){
const err5 = {instancePath:instancePath+"/filter",schemaPath:"#/properties/filter/noNumber",keyword:"noNumber",params:{},message:"must be object"};
vErrors = keepIssue(vErrors, err5);
errors++;
}
}
if(data.sort !== undefined){
let data2 = data.sort;
if((!(Array.isArray(data2))) && (data2 !== null)){
const err6 = {instancePath:instancePath+"/sort",schemaPath:"#/properties/sort/type",keyword:"type",params:{type: schema5.properties.sort.type},message:"must be array,null"};
vErrors = keepIssue(vErrors, err6);
errors++;
}
if(Array.isArray(data2)){
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
let data3 = data2[i0];
if(func0(data3)){
const err7 = {instancePath:instancePath+"/sort/" + i0,schemaPath:"#/properties/sort/items/noNumber",keyword:"noNumber",params:{},message:"must be object"};
vErrors = keepIssue(vErrors, err7);
errors++;
}
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
if(data3.property === undefined){
const err8 = {instancePath:instancePath+"/sort/" + i0,schemaPath:"#/properties/sort/items/required",keyword:"required",params:{missingProperty: "property"},message:"must have required property '"+"property"+"'"};
vErrors = keepIssue(vErrors, err8);
errors++;
}
if(data3.property !== undefined){
if(typeof data3.property !== "string"){
const err9 = {instancePath:instancePath+"/sort/" + i0+"/property",schemaPath:"#/properties/sort/items/properties/property/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err9);
errors++;
}
}
if(data3.isAscending !== undefined){
if(typeof data3.isAscending !== "boolean"){
const err10 = {instancePath:instancePath+"/sort/" + i0+"/isAscending",schemaPath:"#/properties/sort/items/properties/isAscending/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
vErrors = keepIssue(vErrors, err10);
errors++;
}
}
if(data3.collation !== undefined){
if(typeof data3.collation !== "string"){
const err11 = {instancePath:instancePath+"/sort/" + i0+"/collation",schemaPath:"#/properties/sort/items/properties/collation/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err11);
errors++;
}
}
}
else {
const err12 = {instancePath:instancePath+"/sort/" + i0,schemaPath:"#/properties/sort/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err12);
errors++;
}
}
}
}
if(data.sinceQueryState !== undefined){
if(typeof data.sinceQueryState !== "string"){
const err13 = {instancePath:instancePath+"/sinceQueryState",schemaPath:"#/properties/sinceQueryState/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err13);
errors++;
}
}
if(data.maxChanges !== undefined){
let data8 = data.maxChanges;
if((!(((typeof data8 == "number") && (!(data8 % 1) && !isNaN(data8))) && (isFinite(data8)))) && (data8 !== null)){
const err14 = {instancePath:instancePath+"/maxChanges",schemaPath:"#/properties/maxChanges/type",keyword:"type",params:{type: schema5.properties.maxChanges.type},message:"must be integer,null"};
vErrors = keepIssue(vErrors, err14);
errors++;
}
if((typeof data8 == "number") && (isFinite(data8))){
if(data8 > 9007199254740991 || isNaN(data8)){
const err15 = {instancePath:instancePath+"/maxChanges",schemaPath:"#/properties/maxChanges/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"};
vErrors = keepIssue(vErrors, err15);
errors++;
}
if(data8 < 0 || isNaN(data8)){
const err16 = {instancePath:instancePath+"/maxChanges",schemaPath:"#/properties/maxChanges/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
vErrors = keepIssue(vErrors, err16);
errors++;
}
}
}
if(data.upToId !== undefined){
let data9 = data.upToId;
if((typeof data9 !== "string") && (data9 !== null)){
const err17 = {instancePath:instancePath+"/upToId",schemaPath:"#/properties/upToId/type",keyword:"type",params:{type: schema5.properties.upToId.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err17);
errors++;
}
}
if(data.calculateTotal !== undefined){
if(typeof data.calculateTotal !== "boolean"){
const err18 = {instancePath:instancePath+"/calculateTotal",schemaPath:"#/properties/calculateTotal/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
vErrors = keepIssue(vErrors, err18);
errors++;
}
}
}
else {
const err19 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err19);
errors++;
}
validate5.errors = vErrors;
return errors === 0;
}
export const argumentNames = {
  get: ['accountId', 'ids', 'properties'],
  changes: ['accountId', 'sinceState', 'maxChanges'],
  set: ['accountId', 'ifInState', 'create', 'update', 'destroy'],
  copy: [
    'fromAccountId',
    'ifFromInState',
    'accountId',
    'ifInState',
    'create',
    'onSuccessDestroyOriginal',
    'destroyFromIfInState',
  ],
  query: [
    'accountId',
    'filter',
    'sort',
    'position',
    'anchor',
    'anchorOffset',
    'limit',
    'calculateTotal',
  ],
  queryChanges: [
    'accountId',
    'filter',
    'sort',
    'sinceQueryState',
    'maxChanges',
    'upToId',
    'calculateTotal',
  ],
};
